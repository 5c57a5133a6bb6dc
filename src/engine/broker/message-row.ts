import type { Failure, StoredMessage } from './broker.ts';
import type { HeldMessage } from './delivery.ts';

/** A message as the tables keep it: its columns, in this order. */
export type MessageRow = [
  seq: number,
  id: string,
  lane: number,
  attempts: number,
  publishedAt: number,
  headers: string | null,
  history: string | null,
  body: Uint8Array,
];
export const messageColumns = 'seq, id, lane, attempts, published_at, headers, history, body';

/** The same for reads that claim nothing. */
export type SeenRow = [...MessageRow, state: number, readyAt: number | null];
export const seenColumns = `${messageColumns}, state, ready_at`;

/** A message in memory, with its place. */
export interface Message extends HeldMessage {
  /** Its place in the publish order. It never changes. */
  seq: number;
}

const states = ['ready', 'delayed', 'dead'] as const;
export const lanes = ['high', 'normal'] as const;
export const laneNumber = { high: 0, normal: 1 } as const;

export function fromRow(row: MessageRow | SeenRow): Message {
  const [seq, id, lane, attempts, publishedAt, headers, history, body] = row;
  return {
    seq,
    id,
    lane: lanes[lane] ?? 'normal',
    attempts,
    publishedAt,
    headers: headers === null ? noHeaders : JSON.parse(headers),
    history: history === null ? noHistory : JSON.parse(history),
    body,
  };
}

export function fromSeenRow(row: SeenRow): StoredMessage {
  const { seq, attempts, ...message } = fromRow(row);
  return { ...message, attempt: attempts, state: states[row[8]] ?? 'dead', readyAt: row[9] };
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});
const noHistory: readonly Failure[] = Object.freeze([]);
