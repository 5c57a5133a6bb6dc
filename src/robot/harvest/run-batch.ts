import { Slots } from '../../engine/turns/slots.ts';
import type { Stop } from '../batch/plan.ts';
import { longestBatchMs } from '../politeness/rules.ts';
import {
  type AskedHost,
  DomainRequests,
  type HarvestContext,
  pause,
  type RunningBatch,
} from './domain-requests.ts';
import { monotonic, timeline } from './monotonic.ts';
import { runStop } from './run-stop.ts';

/** Carries out a batch: rows run side by side, each in its order and with the delay of its hosts. */
export async function runBatch(batch: RunningBatch, context: HarvestContext): Promise<void> {
  const { rows, rules } = batch.plan;
  const hardEnd = monotonic() + longestBatchMs;
  const timeOf = timeline();
  const addresses = new Map<string, Slots>();
  const slotsAt = ({ address, atOnce = rules.maxHosts }: Stop) => {
    const slots = addresses.get(address) ?? new Slots(atOnce);
    slots.limit = Math.min(slots.limit, atOnce);
    addresses.set(address, slots);
    return slots;
  };
  const mayGoOn = () => !batch.stop.aborted && monotonic() < Math.min(batch.notAfter, hardEnd);
  const delays = rows.map(([first]) => first?.delayMs ?? 0);
  // The other threads that have a share of this batch see at once what a host asks one of them.
  const over = new Uint8Array(batch.over ?? new ArrayBuffer(rows.flat().length));
  const starts = rows.map((_, index) => rows.slice(0, index).flat().length);
  const staggerMs = rows.length > 1 ? Math.min(...delays) / rows.length : 0;
  await Promise.all(
    rows.map(async (row, index) => {
      // Rows begin one after another within the first delay, as if columns were read from top to bottom.
      if (index > 0 && staggerMs > 0) await pause(staggerMs * index, batch.stop);
      const hosts = new Map<string, AskedHost>();
      for (const [column, stop] of row.entries()) {
        if (!mayGoOn()) return;
        const isOver = over.subarray((starts[index] ?? 0) + column);
        const pace = { mayGoOn, timeOf, slots: slotsAt(stop), hosts, isOver };
        await runStop(new DomainRequests(batch, stop, context, pace), stop);
      }
    }),
  );
}
