import type { Asked, Statement } from '../../database/postgres/lasting-connection.ts';
import { channel } from './schema.ts';

/**
 * A notice to all processes about a queue: messages came (`high`: high ones too), none of them before `first`; or the queue itself
 * changed.
 */
export interface Notice {
  queue: string;
  kind: 'high' | 'normal' | 'changed';
  first: number;
}

const kinds: Readonly<Record<string, Notice['kind']>> = { h: 'high', n: 'normal', c: 'changed' };

/** Notifying transactions commit one after another, so the notice is skipped if no other process listens. */
const notify: Statement = {
  name: 'notify',
  text: `SELECT pg_notify('${channel}', notice) FROM unnest($1::text[]) AS notice
    WHERE EXISTS (SELECT FROM process WHERE number <> $2)`,
};

/** Belongs into the transaction that makes the notice true. */
export function noticesOf(notices: readonly Notice[], process: number): Asked {
  return [notify, [notices.map(({ kind, queue, first }) => `${kind[0]}${first}:${queue}`), process]];
}

/** Messages became ready: one notice for each queue. */
export function cameReady(messages: Iterable<{ queue: string; high: boolean; seq: number }>): Notice[] {
  const notices = new Map<string, Notice>();
  for (const { queue, high, seq } of messages) {
    const { kind = 'normal', first = seq } = notices.get(queue) ?? {};
    notices.set(queue, { queue, kind: high ? 'high' : kind, first: Math.min(first, seq) });
  }
  return [...notices.values()];
}

/** A process of 0.2 that was suspended during the upgrade, and wakes, names no place. */
export function readNotice(payload: string): Notice | undefined {
  const [, letter = '', first = '', queue = ''] = /^(.)(?:(\d+):)?(.*)$/s.exec(payload) ?? [];
  const kind = kinds[letter];
  return kind && { kind, queue, first: Number(first) };
}
