import type { z } from 'zod';
import { resultsConfirm, resultsRelease, resultsTake } from '../../engine/operation/operations/results.ts';
import type { ResultDirectory } from '../../engine/results/result-directory.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Client } from '../client/client.ts';

/** When to stop collecting. */
export type Until =
  /** The queue is empty. */
  | { kind: 'empty' }
  /** This many results are saved, not counting duplicates. */
  | { kind: 'count'; count: number }
  /** All of these requests have arrived. */
  | { kind: 'uuids'; uuids: Set<string> }
  /** The signal aborts. */
  | { kind: 'interrupted' };

type Taken = z.output<typeof resultsTake.output>['results'][number];

const batch = 20;
const longestWaitMs = 30_000;
/** An empty answer after this wait means that the queue is empty. */
const emptyWaitMs = 1000;

/**
 * Takes results, saves them and only then confirms them, until there are enough. Unsaved results return to their queue. Resolves to whether
 * there were enough: `latest` is when to stop all the same.
 */
export async function collectResults(options: {
  client: Client;
  directory: ResultDirectory;
  queue: string;
  until: Until;
  signal: AbortSignal;
  progress(done: number): void;
  latest?: { at: number; clock: Clock };
}): Promise<boolean> {
  const { client, directory, queue, until, signal, progress, latest } = options;
  let saved = 0;

  async function save({ receipt, message }: Taken): Promise<void> {
    const { uuid, outcome } = await directory.save({
      message: Buffer.from(message, 'base64'),
      download: (hash) => client.download(receipt, hash),
    });
    if (outcome !== 'duplicate') saved++;
    if (until.kind === 'uuids' && uuid !== null) until.uuids.delete(uuid);
    progress(saved);
  }

  async function settle(taken: readonly Taken[]): Promise<void> {
    const outcomes = await Promise.allSettled(taken.map(save));
    const receipts = (status: 'fulfilled' | 'rejected') =>
      taken.filter((_, index) => outcomes[index]?.status === status).map(({ receipt }) => receipt);
    const safe = receipts('fulfilled');
    const unsafe = receipts('rejected');
    const even = { afterInterruption: true };
    if (safe.length > 0) await client.call(resultsConfirm, { receipts: safe }, even);
    if (unsafe.length > 0) await client.call(resultsRelease, { receipts: unsafe }, even);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }

  while (!isEnough(until, saved)) {
    signal.throwIfAborted();
    const max = until.kind === 'count' ? Math.min(batch, until.count - saved) : batch;
    const leftMs = latest ? latest.at - latest.clock.now() : longestWaitMs;
    if (leftMs <= 0) return false;
    const waitMs = until.kind === 'empty' ? emptyWaitMs : Math.min(longestWaitMs, leftMs);
    const { results } = await client.call(resultsTake, { queue, max, waitMs });
    if (results.length === 0 && until.kind === 'empty') return true;
    await settle(results);
  }
  return true;
}

function isEnough(until: Until, saved: number): boolean {
  return (
    (until.kind === 'count' && saved >= until.count) || (until.kind === 'uuids' && until.uuids.size === 0)
  );
}
