import type { QueueNumbers } from '../../engine/watchdog/policy.ts';
import { formatDuration } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';

/** The numbers of the policy `flow`, in the words of docs/watchdog.md. */

/** Whether `flow` computed these numbers: only it looks at the work that remains after a stage. */
export function isFlow(queues: readonly QueueNumbers[]): boolean {
  return queues.some((queue) => queue.details?.remainingMs !== undefined);
}

export const flowColumns: Column<QueueNumbers>[] = [
  { title: 'stage', of: (row) => row.stage },
  { title: 'waiting', of: (row) => row.length },
  { title: 'serving', of: (row) => row.workers },
  { title: 'unserved', of: (row) => formatDuration(row.waitingMs), align: 'right' },
  { title: 'per message', of: (row) => formatDuration(row.averageMs), align: 'right' },
  { title: 'remaining', of: (row) => formatDuration(remainingMs(row)), align: 'right' },
  { title: 'priority', of: (row) => row.priority },
  { title: 'urgency', of: (row) => formatNumber(urgency(row)), align: 'right' },
];

/** Says that nothing waits only where it matters: an urgent stage without work draws no worker. */
export function flowFormula(queue: QueueNumbers): string {
  const { priority, length } = queue;
  const formula = `urgency = (priority ${priority} + 1) / ${formatNumber(remainingMs(queue) / 1000)} s of remaining work`;
  return `${formula} = ${formatNumber(urgency(queue))}${length > 0 ? '' : ', but nothing waits'}`;
}

export function flowStanding(queue: QueueNumbers): string {
  return `${queue.length} waiting, ${queue.workers} serving, urgency ${formatNumber(urgency(queue))}`;
}

/** Also of a stage where nothing waits, which has no part in the plan. */
function urgency(queue: QueueNumbers): number {
  return ((queue.priority + 1) * 1000) / Math.max(1, remainingMs(queue));
}

function remainingMs({ details }: QueueNumbers): number {
  return details?.remainingMs ?? 0;
}

function formatNumber(number: number): string {
  return String(Number(number.toPrecision(4)));
}
