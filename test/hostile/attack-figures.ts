import type { Visitor } from './target.ts';

/** What the attackers are told. */
export interface Orders {
  url: string;
  seed: number;
  requests: number;
  files: number;
  visitors: readonly Visitor[];
  /** Users among them who send files. */
  senders: readonly Visitor[];
  /** And users who send mails. */
  mailers: readonly Visitor[];
  foreign: readonly string[];
  own: readonly string[];
  /** Texts that only the honest user may see. */
  secrets: readonly string[];
}

/** What they saw. */
export interface AttackFigures {
  operations: number;
  requests: number;
  kinds: Record<string, number>;
  statuses: Record<number, number>;
  /** The server closed the connection, which is its right. */
  unanswered: number;
  files: { sent: number; refused: number; done: number; failed: number; unfinished: number };
  mails: { sent: number; refused: number };
  faultCount: number;
  faults: string[];
}

/** Notes what must not happen; of many, the first. */
export function fault(figures: AttackFigures, what: string): void {
  figures.faultCount++;
  if (figures.faults.length < 40) figures.faults.push(what.slice(0, 700));
}

export function emptyFigures(): AttackFigures {
  return {
    operations: 0,
    requests: 0,
    kinds: {},
    statuses: {},
    unanswered: 0,
    files: { sent: 0, refused: 0, done: 0, failed: 0, unfinished: 0 },
    mails: { sent: 0, refused: 0 },
    faultCount: 0,
    faults: [],
  };
}
