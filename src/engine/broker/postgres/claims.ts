import { type Clock, sleep } from '../../clock.ts';
import type { PostgresLine, Statement } from '../../database/postgres-line.ts';
import { PismakError } from '../../errors.ts';
import { fromRow, type Message, type MessageRow } from '../message-row.ts';
import type { Lease } from './lease.ts';
import { cameReady, noticesOf } from './notices.ts';
import type { PostgresQueue, Wanted } from './queue.ts';

/** A message that this process has claimed. */
export interface Claimed extends Message {
  queue: PostgresQueue;
  /** The process as whom we claimed it: another number when the lease was lost meanwhile. */
  owner: number;
  startedAt: number;
}

/** What becomes of a claimed message. A charge (`started`) leaves it with us. */
export type Fate =
  | { kind: 'gone' | 'started' }
  | { kind: 'ready' | 'dead'; history: string | null }
  | { kind: 'delayed'; history: string; delayMs: number };

interface Change {
  message: Claimed;
  fate: Fate;
  resolve(): void;
  reject(error: unknown): void;
}

const againMs = 250;
const states = { ready: 0, delayed: 1, dead: 2, started: 3 } as const;

/** Everything that a consumer wants, in one statement: acks, other settlements, charges, and claims of new messages. */
const settleAndClaim: Statement = {
  name: 'settle-and-claim',
  text: `
    WITH alive AS MATERIALIZED (SELECT number FROM process WHERE number = $1 FOR KEY SHARE),
    gone AS (DELETE FROM message WHERE seq = ANY($2::bigint[]) AND owner = $1),
    moved AS (
      UPDATE message AS m SET state = v.state, owner = CASE WHEN v.state = 3 THEN m.owner END, started = v.state = 3,
        attempts = v.attempts, ready_at = CASE WHEN v.state = 1 THEN now_ms() + v.delay END,
        history = coalesce(v.history, m.history)
      FROM unnest($3::bigint[], $4::smallint[], $5::int[], $6::bigint[], $7::text[]) AS v (seq, state, attempts, delay, history)
      WHERE m.seq = v.seq AND m.owner = $1),
    claimed AS (
      UPDATE message AS m SET state = 3, owner = $1, started = false
      FROM queue WHERE queue.number = m.queue AND m.seq = ANY (ARRAY(
        SELECT c.seq FROM alive CROSS JOIN unnest($8::text[], $9::int[], $10::smallint[]) AS w (name, most, lane)
        JOIN queue AS q ON q.name = w.name AND NOT q.paused
        CROSS JOIN LATERAL (SELECT seq FROM message WHERE queue = q.number AND state = 0 AND message.lane <= w.lane
          ORDER BY lane, seq LIMIT w.most FOR UPDATE SKIP LOCKED) AS c))
      RETURNING queue.name, m.seq, m.id, m.lane, m.attempts, m.published_at, m.headers, m.history, m.body)
    SELECT (SELECT count(*) FROM alive), claimed.* FROM (VALUES (1)) AS always LEFT JOIN claimed ON true
    ORDER BY lane, seq`,
};
/** Whatever is ours in the table and not in our hands: the answer to a claim was lost on the way. */
const giveBackUnknown: Statement = {
  name: 'give-back-unknown',
  text: `UPDATE message SET state = 0, owner = NULL, started = false WHERE owner = $1 AND seq <> ALL ($2::bigint[])`,
};

/** Writes the fates of claimed messages and claims new ones, in rounds: what comes during one goes with the next. */
export class Claims {
  readonly #line: PostgresLine;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #queues: ReadonlyMap<string, PostgresQueue>;
  #changes = new Map<number, Change>();
  #running = false;
  #next = Promise.withResolvers<void>();
  #chargesUnderWay = 0;
  #checkAll = false;
  #closing = false;

  constructor(parts: {
    line: PostgresLine;
    clock: Clock;
    lease: Lease;
    queues: ReadonlyMap<string, PostgresQueue>;
  }) {
    this.#line = parts.line;
    this.#clock = parts.clock;
    this.#lease = parts.lease;
    this.#queues = parts.queues;
  }

  /** Resolves when it is written, which is tried as long as the lease lasts: the work is done, and must not be done again. */
  change(message: Claimed, fate: Fate): Promise<void> {
    return new Promise((resolve, reject) => {
      if (message.owner !== this.#lease.number) return reject(leaseLost(message.id));
      // A charge that was not written yet is not needed any more: each fate holds the attempts.
      this.#changes.set(message.seq, { message, fate, resolve, reject });
      this.kick();
    });
  }

  /** Starts a round soon, if there is anything to do. */
  kick(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#rounds();
  }

  /** Resolves when every charge until now has been tried once: what a handler has done must not outlive it. */
  async chargesWritten(): Promise<void> {
    const unsent = this.#changes.values().some(({ fate }) => fate.kind === 'started');
    if (unsent || this.#chargesUnderWay > 0) await this.flushed();
  }

  /** Resolves when what was asked for until now has been tried once. */
  async flushed(): Promise<void> {
    this.kick();
    await this.#next.promise;
  }

  /** In the next round, gives back what we don't know to be ours. */
  checkAll(): void {
    this.#checkAll = true;
    this.kick();
  }

  /** From now on a failure is final: those messages come again when the lease is over. */
  async close(): Promise<void> {
    this.#closing = true;
    do await this.flushed();
    while (this.#changes.size > 0);
    await this.#line.close();
  }

  async #rounds(): Promise<void> {
    // Handlers that ack at once do so before the charge of their message is written: then it is spared.
    await new Promise(setImmediate);
    for (;;) {
      const finished = this.#next;
      this.#next = Promise.withResolvers();
      const changes = this.#changes;
      this.#changes = new Map();
      const wanted = [...this.#queues.values()].flatMap((queue) => queue.ask() ?? []);
      if (changes.size === 0 && wanted.length === 0 && !this.#checkAll) {
        this.#running = false;
        finished.resolve();
        return this.#dispatch();
      }
      this.#chargesUnderWay = [...changes.values()].filter(({ fate }) => fate.kind === 'started').length;
      const writing = this.#write(changes, wanted);
      // What the last round brought is handled while the server works on this one.
      this.#dispatch();
      const written = await writing;
      this.#chargesUnderWay = 0;
      finished.resolve();
      if (!written && !this.#closing) await sleep(this.#clock, againMs);
    }
  }

  #dispatch(): void {
    for (const queue of this.#queues.values()) queue.dispatch();
  }

  async #write(changes: Map<number, Change>, wanted: Wanted[]): Promise<boolean> {
    const { number } = this.#lease;
    const back = [...changes.values()].filter(({ fate }) => fate.kind === 'ready');
    const notices = cameReady(
      back.map(({ message }) => ({ queue: message.queue.name, high: message.lane === 'high' })),
    );
    const check = this.#checkAll;
    try {
      if (check) await this.#line.query(giveBackUnknown, [number, this.#known()]);
      const [rows = []] = await this.#line.together([
        [settleAndClaim, this.#values(number, changes, wanted)],
        ...(notices.length > 0 ? [noticesOf(notices, number)] : []),
      ]);
      if (check) this.#checkAll = false;
      if (rows[0]?.[0] === 0) return await this.#lostLease(changes, wanted);
      for (const { resolve } of changes.values()) resolve();
      const claimed = Map.groupBy(
        rows.filter((row) => row[1] !== null),
        (row) => row[1],
      );
      for (const { queue, most } of wanted) {
        const messages = (claimed.get(queue.name) ?? []).map((row) => fromRow(row.slice(2) as MessageRow));
        queue.received(
          messages.map((message) => ({ ...message, queue, owner: number, startedAt: 0 })),
          most,
        );
      }
      return true;
    } catch (error) {
      // The claim may have been made, and only the answer lost.
      this.#checkAll = !this.#closing;
      for (const { queue, most } of wanted) queue.received(undefined, most);
      for (const [seq, change] of changes) {
        if (this.#closing) change.reject(error);
        else if (!this.#changes.has(seq)) this.#changes.set(seq, change);
      }
      return false;
    }
  }

  async #lostLease(changes: Map<number, Change>, wanted: Wanted[]): Promise<true> {
    for (const { message, reject } of changes.values()) reject(leaseLost(message.id));
    for (const { queue, most } of wanted) queue.received(undefined, most);
    await this.#lease.replace();
    return true;
  }

  /** Called when a new lease begins: what was claimed under the old one is not ours any more. */
  forget(): void {
    for (const { message, reject } of this.#changes.values()) reject(leaseLost(message.id));
    this.#changes.clear();
    for (const queue of this.#queues.values()) queue.forgetClaims();
  }

  #values(number: number, changes: Map<number, Change>, wanted: Wanted[]): unknown[] {
    const gone: number[] = [];
    const moved: [number[], number[], number[], number[], (string | null)[]] = [[], [], [], [], []];
    for (const { message, fate } of changes.values()) {
      if (fate.kind === 'gone') {
        gone.push(message.seq);
        continue;
      }
      moved[0].push(message.seq);
      moved[1].push(states[fate.kind]);
      moved[2].push(message.attempts);
      moved[3].push(fate.kind === 'delayed' ? fate.delayMs : 0);
      moved[4].push('history' in fate ? fate.history : null);
    }
    return [
      number,
      gone,
      ...moved,
      wanted.map(({ queue }) => queue.name),
      wanted.map(({ most }) => most),
      wanted.map(({ onlyHigh }) => (onlyHigh ? 0 : 1)),
    ];
  }

  #known(): number[] {
    return [...this.#queues.values()].flatMap((queue) => [...queue.claims.keys()]);
  }
}

function leaseLost(id: string): PismakError {
  const text = `Message ${id} is not ours any more: nothing was heard of this process for too long, so it was given to another.`;
  return new PismakError('conflict', text);
}
