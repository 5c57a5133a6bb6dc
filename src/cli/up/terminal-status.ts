import { type QueueStatus, queueLength } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { listWorkers, type WorkerView } from '../../engine/worker/worker-record.ts';
import type { LiveLines } from '../../terminal/output/live-lines.ts';
import { Rates } from './rates.ts';

const bold = (text: string) => `\x1b[1m${text}\x1b[0m`;
const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;
const red = (text: string) => `\x1b[31m${text}\x1b[0m`;
const redrawMs = 500;

/** What `pismak up` shows while it runs: queues, workers and rates, redrawn twice a second. */
export function showStatus(engine: Engine, screen: LiveLines, url: string): { close(): void } {
  const rates = new Rates(engine.events, engine.clock);
  let closed = false;
  let cancel = () => {};
  const draw = async () => {
    try {
      const [queues, workers] = await Promise.all([engine.broker.status(), listWorkers(engine.coordination)]);
      if (closed) return;
      screen.draw(statusLines({ url, queues, workers, perSecond: (stage) => rates.perSecond(stage) }));
    } catch {
      // The next redraw will try again; the error is in the log.
    }
    if (!closed) cancel = engine.clock.after(redrawMs, draw);
  };
  void draw();
  return {
    close() {
      closed = true;
      cancel();
      rates.close();
    },
  };
}

export function statusLines(view: {
  url: string;
  queues: readonly QueueStatus[];
  workers: readonly WorkerView[];
  perSecond: (stage: string) => number;
}): string[] {
  const width =
    Math.max(12, ...view.queues.map((queue) => queue.name.length), ...view.workers.map(idLength)) + 2;
  const busiest = Math.max(1, ...view.queues.map(queueLength));
  return [
    '',
    `${bold('pismak')} ${view.url}   ${dim('Ctrl-C stops')}`,
    dim(
      `${'QUEUE'.padEnd(width)}${'WAITING'.padStart(8)}${'BUSY'.padStart(6)}${'PER S'.padStart(8)}${'DEAD'.padStart(6)}`,
    ),
    ...view.queues.map((queue) => queueLine(queue, width, busiest, view.perSecond(queue.name))),
    dim(`${'WORKER'.padEnd(width)}${'STATE'.padStart(14)}  STAGE`),
    ...view.workers.map((worker) => workerLine(worker, width)),
  ];
}

function queueLine(queue: QueueStatus, width: number, busiest: number, perSecond: number): string {
  const length = queueLength(queue);
  const dead = String(queue.dead).padStart(6);
  const bar = '█'.repeat(Math.ceil((length / busiest) * 20));
  return [
    queue.name.padEnd(width),
    String(length + queue.delayed).padStart(8),
    String(queue.inFlight).padStart(6),
    (perSecond > 0 ? perSecond.toFixed(1) : '-').padStart(8),
    queue.dead > 0 ? red(dead) : dead,
    `  ${queue.broken === undefined ? '' : red('BROKEN')}${queue.paused ? red('paused') : ''}${bar}`,
  ].join('');
}

function workerLine({ record, presence, state }: WorkerView, width: number): string {
  const shown = state.padStart(14);
  const stage = presence?.stage ?? record.stage ?? '-';
  const moving = presence && record.stage && presence.stage !== record.stage ? ` -> ${record.stage}` : '';
  return `${record.id.padEnd(width)}${state === 'FAILED' ? red(shown) : shown}  ${stage}${moving}`;
}

function idLength(worker: WorkerView): number {
  return worker.record.id.length;
}
