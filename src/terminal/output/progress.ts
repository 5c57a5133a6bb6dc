import type { Clock } from '../../engine/time/clock.ts';
import { formatDuration } from './format.ts';
import type { Sink } from './output.ts';
import { fit } from './printable.ts';

/** Shows progress with the rate and the time left: a bar on a terminal, otherwise an occasional line. */
export interface Progress {
  /** Sets the amount done so far, and the total if it has changed. */
  set(done: number, total?: number): void;
  /** Shows the last state and ends the line. Safe to repeat. */
  close(): void;
}

const redrawMs = 100;
const lineMs = 10_000;

export function startProgress(options: {
  stderr: Sink;
  clock: Clock;
  /** The counted things, e.g. `requests`. */
  what: string;
  /** Undefined if the total is unknown. */
  total?: number | undefined;
  /** The amount done before the start, which the rate excludes. */
  already?: number;
  /** The unit of the rate: `min` for slow work. */
  per?: 's' | 'min';
}): Progress {
  const { stderr, clock, what, already = 0, per = 's' } = options;
  let { total } = options;
  const start = clock.now();
  const everyMs = stderr.isTTY ? redrawMs : lineMs;
  let done = 0;
  let shownAt = stderr.isTTY ? Number.NEGATIVE_INFINITY : start;
  let shown = '';
  let closed = false;

  function show(): void {
    shownAt = clock.now();
    const text = describe({ done, total, what, per, already, elapsedMs: shownAt - start });
    if (!stderr.isTTY) {
      if (text !== shown) stderr.write(`${text}\n`);
    } else stderr.write(`\r\x1b[K${fit(`${bar(done, total)}${text}`, (stderr.columns ?? 80) - 1)}`);
    shown = text;
  }

  return {
    set(now, of = total) {
      done = now;
      total = of;
      if (clock.now() - shownAt >= everyMs) show();
    },
    close() {
      if (closed) return;
      closed = true;
      show();
      if (stderr.isTTY) stderr.write('\n');
    },
  };
}

function bar(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return '';
  const filled = Math.round(Math.min(1, done / total) * 20);
  return `[${'█'.repeat(filled)}${' '.repeat(20 - filled)}] `;
}

function describe(state: {
  done: number;
  total: number | undefined;
  what: string;
  per: 's' | 'min';
  already: number;
  elapsedMs: number;
}): string {
  const { done, total, what, per, already, elapsedMs } = state;
  const rate = elapsedMs > 0 ? (done - already) / (elapsedMs / 1000) : 0;
  const shown = per === 's' ? rate : rate * 60;
  const parts = [total === undefined ? `${done} ${what}` : `${done} of ${total} ${what}`];
  if (rate > 0) parts.push(`${shown >= 10 ? Math.round(shown) : shown.toFixed(1)} per ${per}`);
  if (total !== undefined && rate > 0 && done < total) {
    parts.push(`${formatDuration(((total - done) / rate) * 1000)} left`);
  }
  return parts.join(', ');
}
