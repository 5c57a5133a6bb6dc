import { alertList } from '../../engine/operation/operations/alert.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { Sink } from '../output/output.ts';
import type { Client } from './client.ts';

const lookMs = 3_000;

/** While a command waits, prints each alert once: it may be the reason for the wait. */
export function tellAlerts(
  { clock, signal, stderr }: { clock: Clock; signal: AbortSignal; stderr: Sink },
  client: Client,
): { close(): Promise<void> } {
  const stop = new AbortController();
  const over = AbortSignal.any([stop.signal, signal]);
  const told = new Set<string>();
  const run = async () => {
    for (;;) {
      await sleep(clock, lookMs, over);
      if (over.aborted) return;
      const { alerts } = await client.call(alertList, {});
      for (const { id, reason } of alerts) {
        if (!told.has(id)) stderr.write(`alert: ${reason}\n`);
        told.add(id);
      }
    }
  };
  // Alerts are only a hint: a user who may not read them can still go on.
  const running = run().catch(() => {});
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
}
