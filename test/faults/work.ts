import { createHash } from 'node:crypto';

/** What the fault program sends through the installation: requests for three stages and an output queue. */
export const stages = ['fault.first', 'fault.second', 'fault.third'];
export const output = 'fault.out';

/** The same for the same seed and number, so that a producer that was killed can send again what it is not sure of. */
export function uuidOf(seed: string, number: number): string {
  const hex = createHash('sha256').update(`${seed}/${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Every fourth is large enough to travel by reference, so that the store of the bytes is part of it. */
export function contentOf(number: number): Buffer {
  return Buffer.alloc(number % 4 === 0 ? 100_000 : 1_000, `request ${number} `);
}

/** A request that was confirmed: it must come out. Times are milliseconds since the epoch. */
export interface Sent {
  uuid: string;
  begunAt: number;
  confirmedAt: number;
}

/** A message of the output queue, as the checker read it. */
export interface Arrival {
  uuid: string;
  at: number;
  failed: boolean;
  /** The server says that it has delivered this very message before, over a connection that broke. */
  redelivered: boolean;
}
