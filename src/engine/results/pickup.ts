import { randomBytes } from 'node:crypto';
import { disown } from '../blob-owners/blob-owners.ts';
import type { Broker } from '../broker/broker.ts';
import type { Database } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import { endRequests } from '../request/open-requests.ts';
import { decodeRequest, type Request } from '../request/request.ts';
import { requestOwner } from '../request/result-files.ts';
import type { Clock } from '../time/clock.ts';
import { gatherDeliveries, type HeldDelivery } from './gather-deliveries.ts';

/**
 * Takes results from output queues for callers that cannot hold a delivery themselves, because they use HTTP. A result is
 *
 * - *leased* under a receipt; every call with the receipt renews the lease;
 * - *confirmed* by the caller: its delivery is acked;
 * - *released* by the caller, when the lease runs out after a minute of silence, or when this process closes: its delivery is
 *   released, so the attempt is not charged.
 */
export interface Pickup {
  /** Up to `max` results; waits up to `waitMs` for the first. Aborting leaves everything in the queue. */
  take(queue: string, max: number, waitMs: number, signal?: AbortSignal): Promise<Taken[]>;
  /** Resolves when the results are durably gone from their queues. */
  confirm(receipts: readonly string[]): Promise<Settled>;
  release(receipts: readonly string[]): Promise<Settled>;
  /** The result of a receipt. Each call extends the lease, so a download keeps it alive. */
  find(receipt: string): Taken | undefined;
  /** Releases everything. Call it before closing the broker, which would wait for it. */
  close(): Promise<void>;
}

export interface Taken {
  receipt: string;
  queue: string;
  body: Uint8Array;
  /** Null if the message is not a request: the caller decides what to do. */
  request: Request | null;
}

export interface Settled {
  settled: string[];
  /** Expired, already settled, or never given out. */
  unknown: string[];
}

export const leaseMs = 60_000;
/** Limit on leased results of one queue, because they are held in memory. */
export const maxUnconfirmed = 200;

interface Lease extends Taken {
  held: HeldDelivery;
  cancelExpiry: () => void;
}

export function createPickup(parts: { broker: Broker; clock: Clock; database: Database }): Pickup {
  const { broker, clock, database } = parts;
  const leases = new Map<string, Lease>();
  /** Per queue: results leased, or requested by a `take` in progress. */
  const reserved = new Map<string, number>();
  const closing = new AbortController();

  function reserve(queue: string, change: number): void {
    const count = (reserved.get(queue) ?? 0) + change;
    if (count > 0) reserved.set(queue, count);
    else reserved.delete(queue);
  }

  function lease(held: HeldDelivery): Lease {
    const { queue, body } = held.delivery;
    const receipt = randomBytes(18).toString('base64url');
    const leased = { receipt, queue, body, request: tryDecode(body), held, cancelExpiry: () => {} };
    leases.set(receipt, leased);
    keepAlive(leased);
    return leased;
  }

  function keepAlive(leased: Lease): void {
    leased.cancelExpiry();
    leased.cancelExpiry = clock.after(leaseMs, () => {
      // If this fails, the broker is gone and the message is delivered again anyway.
      pickup.release([leased.receipt]).catch(() => {});
    });
  }

  /** Ends leases. The caller must settle their deliveries: nobody else can find them any more. */
  function end(receipts: readonly string[]): { found: Lease[]; unknown: string[] } {
    const found: Lease[] = [];
    const unknown: string[] = [];
    for (const receipt of receipts) {
      const leased = leases.get(receipt);
      if (!leased) {
        unknown.push(receipt);
        continue;
      }
      leases.delete(receipt);
      leased.cancelExpiry();
      reserve(leased.queue, -1);
      found.push(leased);
    }
    return { found, unknown };
  }

  async function settle(
    receipts: readonly string[],
    how: (leased: Lease) => Promise<void>,
  ): Promise<Settled> {
    const { found, unknown } = end(receipts);
    await Promise.all(found.map(how));
    return { settled: found.map((leased) => leased.receipt), unknown };
  }

  const pickup: Pickup = {
    async take(queue, max, waitMs, signal) {
      const free = Math.min(max, maxUnconfirmed - (reserved.get(queue) ?? 0));
      if (free <= 0) {
        throw new PismakError(
          'too-many-requests',
          `${maxUnconfirmed} results of ${queue} are already leased; confirm or release some, then take more`,
        );
      }
      reserve(queue, free);
      const gone = AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]);
      let taken: Lease[] = [];
      try {
        const held = await gatherDeliveries({ broker, clock, queue, max: free, waitMs, signal: gone });
        if (gone.aborted) await Promise.all(held.map(releaseHeld));
        else taken = held.map(lease);
      } finally {
        reserve(queue, taken.length - free);
      }
      return taken;
    },

    async confirm(receipts) {
      const ended: Request[] = [];
      const settled = await settle(receipts, async ({ held, request }) => {
        await held.delivery.ack().finally(held.done);
        // Only after the ack: a crash in between leaves too many blobs, never too few.
        if (request?.ownsBlobs) await disown(database.query, requestOwner(request));
        if (request) ended.push(request);
      });
      await endRequests(database.query, ended);
      return settled;
    },

    release: (receipts) => settle(receipts, ({ held }) => releaseHeld(held)),

    find(receipt) {
      const leased = leases.get(receipt);
      if (leased) keepAlive(leased);
      return leased;
    },

    async close() {
      closing.abort();
      await pickup.release([...leases.keys()]);
    },
  };
  return pickup;
}

function releaseHeld({ delivery, done }: HeldDelivery): Promise<void> {
  return delivery.release().finally(done);
}

function tryDecode(body: Uint8Array): Request | null {
  try {
    return decodeRequest(body);
  } catch {
    return null;
  }
}
