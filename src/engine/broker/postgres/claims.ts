import type { Asked, LastingConnection } from '../../database/postgres/lasting-connection.ts';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import { fromRow, type Message, type MessageRow } from '../message-row.ts';
import { advance, fetch, settle, settleAndMove, take, yieldToOthers } from './claim-statements.ts';
import type { Floors, Found, Search } from './floors.ts';
import type { Lease } from './lease.ts';
import { cameReady, noticesOf } from './notices.ts';
import type { PostgresQueue, Wanted } from './queue.ts';

/** A message that this process has claimed. */
export interface Claimed extends Message {
  queue: PostgresQueue;
  /** Number of the process that claimed it: not our current one if the lease was lost since. */
  process: number;
  /** The round that claimed it. */
  round: number;
  startedAt: number;
  /** Whether its attempt may have been written. */
  isCharged: boolean;
}

/** What happens to a claimed message: its attempt is charged, or it is acked (deleted) or gets another state. */
export type ClaimChange =
  | { kind: 'ack' }
  | { kind: 'charge' }
  | { kind: 'ready' | 'dead'; history: string | null }
  | { kind: 'delayed'; history: string; delayMs: number };

interface Waiting {
  message: Claimed;
  change: ClaimChange;
  resolve(): void;
  reject(error: unknown): void;
}

const againMs = 250;
/** Rounds between two notes of the first live one: each leaves a dead row, and so does each round. */
const advanceEvery = 128;
const states = { ready: 0, delayed: 1, dead: 2 } as const;

/**
 * Writes what becomes of claimed messages, and claims new ones, in rounds: what comes during one goes with the next. A message is
 *
 * - *claimed* when a round names it in the table `claim`, under the number of this process;
 * - *charged* once a round has written that its handler started (`running`), so that a crash counts as an attempt;
 * - *settled* when a round has acked it, or made it ready, delayed or dead. Until then the change is retried as long as the
 *   lease lasts;
 * - *lost* when the server has declared this process dead (`lease.ts`): then others have it, and settling it here fails.
 */
export class Claims {
  readonly #connection: LastingConnection;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #queues: ReadonlyMap<string, PostgresQueue>;
  readonly #floors: Floors;
  #changes = new Map<number, Waiting>();
  #running = false;
  #next = Promise.withResolvers<void>();
  #chargesUnderWay = 0;
  #round = 0;
  /** Whether a round is due even without requests: it frees messages that are claimed, but unknown here. */
  #checkAll = false;
  #closing = false;

  constructor(parts: {
    connection: LastingConnection;
    clock: Clock;
    lease: Lease;
    queues: ReadonlyMap<string, PostgresQueue>;
    floors: Floors;
  }) {
    this.#connection = parts.connection;
    this.#clock = parts.clock;
    this.#lease = parts.lease;
    this.#queues = parts.queues;
    this.#floors = parts.floors;
  }

  /** Resolves when it is written. Retries as long as the lease lasts: the work is done and must not be repeated. */
  change(message: Claimed, change: ClaimChange): Promise<void> {
    return new Promise((resolve, reject) => {
      if (message.process !== this.#lease.number) return reject(leaseLost(message.id));
      // An unwritten charge is no longer needed: every other change contains the attempts.
      this.#changes.set(message.seq, { message, change, resolve, reject });
      this.kick();
    });
  }

  /** Starts a round soon, if there is anything to do. */
  kick(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#rounds();
  }

  /** Resolves when every charge so far has been tried once: what a handler publishes must not outlive its charge. */
  async chargesWritten(): Promise<void> {
    const unsent = this.#changes.values().some(({ change }) => change.kind === 'charge');
    if (unsent || this.#chargesUnderWay > 0) await this.flushed();
  }

  /** Resolves when everything asked for so far has been tried once. */
  async flushed(): Promise<void> {
    this.kick();
    await this.#next.promise;
  }

  /** In the next round, frees messages that are claimed under our number, but unknown here: an answer was lost. */
  checkAll(): void {
    this.#checkAll = true;
    this.kick();
  }

  /** From now on a failure is final: those messages come again when the lease is over. */
  async close(): Promise<void> {
    this.#closing = true;
    do await this.flushed();
    while (this.#changes.size > 0);
    await this.#connection.close();
  }

  async #rounds(): Promise<void> {
    // Handlers that ack at once do so before their charge is written: then the charge is skipped.
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
      this.#chargesUnderWay = [...changes.values()].filter(({ change }) => change.kind === 'charge').length;
      const writing = this.#write(changes, wanted);
      // Messages of the last round are handled while the server works on this one.
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

  async #write(changes: Map<number, Waiting>, wanted: Wanted[]): Promise<boolean> {
    const { number } = this.#lease;
    const back = [...changes.values()].filter(({ change }) => change.kind === 'ready');
    const notices = cameReady(
      back.map(({ message }) => ({
        queue: message.queue.name,
        high: message.lane === 'high',
        seq: message.seq,
      })),
    );
    const round = ++this.#round;
    const askedAt = this.#clock.now();
    const live = this.#liveRounds(changes);
    const searches = wanted.map((each) => {
      const isForAll = !each.onlyHigh && !each.except;
      return { ...each, search: this.#floors.begin(each.queue.name, isForAll) };
    });
    this.#checkAll = false;
    try {
      const [alive = [], ...answers] = await this.#connection.together([
        this.#settlement(number, changes, live),
        ...(searches.length > 0 ? claimOf(number, round, searches) : []),
        ...(notices.length > 0 ? [noticesOf(notices, number)] : []),
        ...(round % advanceEvery === 0 ? [[advance, [number, Math.min(round, ...live)]] as const] : []),
      ]);
      if (alive[0]?.[0] === 0) {
        this.#raiseFloors(searches, undefined, 0, 0);
        return await this.#lostLease(changes, wanted);
      }
      for (const { queue, first } of notices) this.#floors.lower(queue, first);
      for (const { resolve } of changes.values()) resolve();
      const claimed = Map.groupBy(answers[2] ?? [], (row) => row[0]);
      for (const { queue, most } of wanted) {
        const messages = (claimed.get(queue.name) ?? []).map((row) => fromRow(row.slice(1) as MessageRow));
        const ours = { queue, process: number, round, startedAt: 0, isCharged: false };
        queue.received(
          messages.map((message) => ({ ...message, ...ours })),
          most,
          this.#clock.now() - askedAt,
        );
      }
      this.#raiseFloors(searches, answers[0], Number(alive[0]?.[1]), this.#clock.now() - askedAt);
      return true;
    } catch (error) {
      // The claim may have been made, and only the answer lost.
      this.#checkAll = !this.#closing;
      this.#raiseFloors(searches, undefined, 0, this.#clock.now() - askedAt);
      for (const { queue, most } of wanted) queue.received(undefined, most);
      for (const [seq, change] of changes) {
        if (this.#closing) change.reject(error);
        else if (!this.#changes.has(seq)) this.#changes.set(seq, change);
      }
      return false;
    }
  }

  #raiseFloors(
    searches: readonly (Wanted & { search: Search })[],
    rows: unknown[][] | undefined,
    last: number,
    tookMs: number,
  ): void {
    for (const { search, most, onlyHigh, except } of searches) {
      const [, count, high, normal] = rows?.find(([name]) => name === search.queue) ?? [];
      const found = count === undefined || except ? undefined : ({ count, high, normal } as Found);
      this.#floors.end(search, found, { most, onlyHigh, last, tookMs, now: this.#clock.now() });
    }
  }

  async #lostLease(changes: Map<number, Waiting>, wanted: Wanted[]): Promise<true> {
    for (const { message, reject } of changes.values()) reject(leaseLost(message.id));
    for (const { queue, most } of wanted) queue.received(undefined, most);
    await this.#lease.replace();
    return true;
  }

  /** Called when a new lease begins: messages claimed under the old one are no longer ours. */
  forget(): void {
    for (const { message, reject } of this.#changes.values()) reject(leaseLost(message.id));
    this.#changes.clear();
    this.#floors.forget();
    for (const queue of this.#queues.values()) queue.forgetClaims();
  }

  #settlement(number: number, changes: ReadonlyMap<number, Waiting>, live: ReadonlySet<number>): Asked {
    const [acked, ended, freed]: [number[], number[], number[]] = [[], [], []];
    const moved: [number[], number[], number[], number[], (string | null)[]] = [[], [], [], [], []];
    const started: [number[], number[]] = [[], []];
    const freedOf = new Set<number>();
    for (const { message, change } of changes.values()) {
      const { seq, attempts, round } = message;
      if (change.kind === 'charge') {
        message.isCharged = true;
        started[0].push(seq);
        started[1].push(attempts);
        continue;
      }
      if (message.isCharged) ended.push(seq);
      if (change.kind === 'ack') {
        acked.push(seq);
        continue;
      }
      freed.push(seq);
      if (live.has(round)) freedOf.add(round);
      // Fetched but not used: the table still has it unchanged.
      if (change.kind === 'ready' && change.history === null) continue;
      moved[0].push(seq);
      moved[1].push(states[change.kind]);
      moved[2].push(attempts);
      moved[3].push(change.kind === 'delayed' ? change.delayMs : 0);
      moved[4].push(change.history);
    }
    const usual = [number, acked, ended, ...started, [...live]];
    return freed.length === 0 ? [settle, usual] : [settleAndMove, [...usual, ...moved, freed, [...freedOf]]];
  }

  /** Rounds with messages that are still ours when these changes are written. */
  #liveRounds(changes: ReadonlyMap<number, Waiting>): Set<number> {
    const live = new Set<number>();
    for (const queue of this.#queues.values()) {
      for (const { seq, round } of queue.claims.values()) {
        const kind = changes.get(seq)?.change.kind;
        if (kind === undefined || kind === 'charge') live.add(round);
      }
    }
    return live;
  }
}

function claimOf(number: number, round: number, wanted: readonly (Wanted & { search: Search })[]): Asked[] {
  const mine = [number, round];
  const names = wanted.map(({ queue }) => queue.name);
  const most = wanted.map((each) => each.most);
  const lanes = wanted.map(({ onlyHigh }) => (onlyHigh ? 0 : 1));
  const except = wanted.map((each) => (each.except ? JSON.stringify(each.except) : null));
  const high = wanted.map(({ search }) => search.high);
  const normal = wanted.map(({ search }) => search.normal);
  return [
    [take, [...mine, names, most, lanes, except, high, normal]],
    [yieldToOthers, mine],
    [fetch, mine],
  ];
}

function leaseLost(id: string): PismakError {
  const text = `Message ${id} was given to another process: this process lost its lease because it was silent for too long.`;
  return new PismakError('conflict', text);
}
