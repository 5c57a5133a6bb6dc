import type { Asked, Statement } from '../../database/postgres/lasting-connection.ts';
import { channel } from './schema.ts';

/** A notice to all processes about a queue: messages came (`high`: high ones too), or the queue itself changed. */
export type Notice = { queue: string; kind: 'high' | 'normal' | 'changed' };

const kinds: Readonly<Record<string, Notice['kind']>> = { h: 'high', n: 'normal', c: 'changed' };

/** Notifying transactions commit one after another, so the notice is skipped if no other process listens. */
const notify: Statement = {
  name: 'notify',
  text: `SELECT pg_notify('${channel}', notice) FROM unnest($1::text[]) AS notice
    WHERE EXISTS (SELECT FROM process WHERE number <> $2)`,
};

/** Belongs into the transaction that makes the notice true. */
export function noticesOf(notices: readonly Notice[], process: number): Asked {
  return [notify, [notices.map(({ kind, queue }) => `${kind[0]}${queue}`), process]];
}

/** Messages became ready: one notice for each queue. */
export function cameReady(messages: Iterable<{ queue: string; high: boolean }>): Notice[] {
  const kindOf = new Map<string, Notice['kind']>();
  for (const { queue, high } of messages) {
    if (high || !kindOf.has(queue)) kindOf.set(queue, high ? 'high' : 'normal');
  }
  return [...kindOf].map(([queue, kind]) => ({ queue, kind }));
}

export function readNotice(payload: string): Notice | undefined {
  const kind = kinds[payload.slice(0, 1)];
  return kind && { kind, queue: payload.slice(1) };
}
