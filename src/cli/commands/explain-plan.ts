import type { Plan, QueueNumbers } from '../../engine/watchdog/policy.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Column } from '../../terminal/output/table.ts';
import { flowColumns, flowFormula, flowStanding, isFlow } from './explain-flow.ts';

/** The columns that show the numbers of a plan, in the words of its policy; with `all`, also the numbers that only this policy has. */
export function planColumns(queues: readonly QueueNumbers[], all: boolean): Column<QueueNumbers>[] {
  if (isFlow(queues)) return flowColumns;
  const names = all ? new Set(queues.flatMap(({ details }) => Object.keys(details ?? {}))) : [];
  return [
    { title: 'stage', of: (row) => row.stage },
    { title: 'L waiting', of: (row) => row.length },
    { title: 'AMT per message', of: (row) => formatDuration(row.averageMs), align: 'right' },
    { title: 'NW workers', of: (row) => row.workers },
    { title: 'WT unserved', of: (row) => formatDuration(row.waitingMs), align: 'right' },
    { title: 'AP', of: (row) => row.priority },
    { title: 'PP', of: (row) => formatPriority(row.parametric), align: 'right' },
    { title: 'P', of: (row) => formatShare(row.relative), align: 'right' },
    ...[...names].map(
      (name): Column<QueueNumbers> => ({
        title: titleOf(name),
        of: ({ details }) => (details?.[name] === undefined ? null : formatDetail(name, details[name])),
        align: 'right',
      }),
    ),
  ];
}

/** Explains how each number was computed and, for each move, what was compared. */
export function explainPlan({ queues, assignments }: Plan, out: Output): void {
  const sum = queues.reduce((total, queue) => total + queue.parametric, 0);
  const [formula, standing] = isFlow(queues)
    ? [flowFormula, flowStanding]
    : [(queue: QueueNumbers) => formulaOf(queue, sum), parametricStanding];
  for (const queue of queues) out.say(`${queue.stage}: ${formula(queue)}`);
  if (assignments.length === 0) out.say('no worker would move');
  for (const { worker, from, to, reason, unlockAt, details } of assignments) {
    out.say('');
    out.say(`${worker}: ${from ?? 'no stage'} -> ${to}`);
    const compared = [from, to].flatMap((stage) => {
      const queue = queues.find((each) => each.stage === stage);
      return queue ? [[`  ${stage}`, standing(queue)]] : [];
    });
    const numbers = Object.entries(details ?? {}).map(([name, value]) => [
      `  ${titleOf(name)}`,
      formatDetail(name, value),
    ]);
    const fields = Object.fromEntries([...compared, ...numbers]);
    out.object({}, { '  why': reason, ...fields, '  stays until': formatTime(unlockAt) });
  }
}

function formulaOf(queue: QueueNumbers, sum: number): string {
  const { length, averageMs, workers, waitingMs, priority, parametric, relative } = queue;
  const computed = ((length * averageMs) / (workers + 1) + waitingMs) * ((priority + 1) / 1000);
  const pp = formatPriority(parametric);
  // Another policy may use another formula; then show only the result.
  if (Math.abs(computed - parametric) > 1e-6 * Math.max(1, Math.abs(computed))) return `PP = ${pp}`;
  return (
    `PP = (L ${length} * AMT ${formatSeconds(averageMs)} / (NW ${workers} + 1) + WT ${formatSeconds(waitingMs)}) ` +
    `* (AP ${priority} + 1) = ${pp}; P = ${pp} / ${sum.toFixed(2)} = ${formatShare(relative)}`
  );
}

function parametricStanding({ length, workers, parametric, relative }: QueueNumbers): string {
  return `${length} waiting, ${workers} serving, PP ${formatPriority(parametric)}, P ${formatShare(relative)}`;
}

/** `freeInMs` -> `free in`. */
function titleOf(name: string): string {
  return name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatDetail(name: string, value: number): string {
  return name.endsWith('Ms') ? formatDuration(value) : formatNumber(value);
}

function formatPriority(number: number): string {
  return number > 0 && number < 1 ? number.toPrecision(2) : number.toFixed(2);
}

function formatShare(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function formatSeconds(ms: number): string {
  return `${formatNumber(ms / 1000)} s`;
}

function formatNumber(number: number): string {
  return Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(4)));
}
