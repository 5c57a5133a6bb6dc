import type { Asked, LastingConnection } from '../../database/postgres/lasting-connection.ts';
import { PismakError } from '../../errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import { fromRow, type Message, type MessageRow } from '../message-row.ts';
import { fetch, settle, settleAndMove, take, yieldToOthers } from './claim-statements.ts';
import type { Lease } from './lease.ts';
import { cameReady, noticesOf } from './notices.ts';
import type { PostgresQueue, Wanted } from './queue.ts';

/** A message that this process has claimed. */
export interface Claimed extends Message {
  queue: PostgresQueue;
  /** Number of the process under which we claimed it; differs from the current one if the lease was lost since. */
  owner: number;
  /** The claim that it is part of. */
  round: number;
  startedAt: number;
  /** Whether its attempt may have been written. */
  isCharged: boolean;
}

/** The fate of a claimed message. A charge (`started`) leaves it with us. */
export type Fate =
  | { kind: 'gone' }
  | { kind: 'started' }
  | { kind: 'ready' | 'dead'; history: string | null }
  | { kind: 'delayed'; history: string; delayMs: number };

interface Change {
  message: Claimed;
  fate: Fate;
  resolve(): void;
  reject(error: unknown): void;
}

const againMs = 250;
const states = { ready: 0, delayed: 1, dead: 2 } as const;

/** Writes the fates of claimed messages and claims new ones, in rounds: what comes during one goes with the next. */
export class Claims {
  readonly #connection: LastingConnection;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #queues: ReadonlyMap<string, PostgresQueue>;
  #changes = new Map<number, Change>();
  #running = false;
  #next = Promise.withResolvers<void>();
  #chargesUnderWay = 0;
  #round = 0;
  /** Whether a round is due even without requests: it returns messages that we don't know to be ours. */
  #checkAll = false;
  #closing = false;

  constructor(parts: {
    connection: LastingConnection;
    clock: Clock;
    lease: Lease;
    queues: ReadonlyMap<string, PostgresQueue>;
  }) {
    this.#connection = parts.connection;
    this.#clock = parts.clock;
    this.#lease = parts.lease;
    this.#queues = parts.queues;
  }

  /** Resolves when it is written. Retries as long as the lease lasts: the work is done and must not be repeated. */
  change(message: Claimed, fate: Fate): Promise<void> {
    return new Promise((resolve, reject) => {
      if (message.owner !== this.#lease.number) return reject(leaseLost(message.id));
      // An unwritten charge is no longer needed: each fate contains the attempts.
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

  /** Resolves when every charge so far has been tried once: what a handler publishes must not outlive its charge. */
  async chargesWritten(): Promise<void> {
    const unsent = this.#changes.values().some(({ fate }) => fate.kind === 'started');
    if (unsent || this.#chargesUnderWay > 0) await this.flushed();
  }

  /** Resolves when everything asked for so far has been tried once. */
  async flushed(): Promise<void> {
    this.kick();
    await this.#next.promise;
  }

  /** In the next round, returns messages that we don't know to be ours. */
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
      this.#chargesUnderWay = [...changes.values()].filter(({ fate }) => fate.kind === 'started').length;
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

  async #write(changes: Map<number, Change>, wanted: Wanted[]): Promise<boolean> {
    const { number } = this.#lease;
    const back = [...changes.values()].filter(({ fate }) => fate.kind === 'ready');
    const notices = cameReady(
      back.map(({ message }) => ({ queue: message.queue.name, high: message.lane === 'high' })),
    );
    const round = ++this.#round;
    const askedAt = this.#clock.now();
    this.#checkAll = false;
    try {
      const [alive = [], ...answers] = await this.#connection.together([
        this.#settlement(number, changes),
        ...(wanted.length > 0 ? claimOf(number, round, wanted) : []),
        ...(notices.length > 0 ? [noticesOf(notices, number)] : []),
      ]);
      if (alive[0]?.[0] === 0) return await this.#lostLease(changes, wanted);
      for (const { resolve } of changes.values()) resolve();
      const claimed = Map.groupBy(answers[2] ?? [], (row) => row[0]);
      for (const { queue, most } of wanted) {
        const messages = (claimed.get(queue.name) ?? []).map((row) => fromRow(row.slice(1) as MessageRow));
        const ours = { queue, owner: number, round, startedAt: 0, isCharged: false };
        queue.received(
          messages.map((message) => ({ ...message, ...ours })),
          most,
          this.#clock.now() - askedAt,
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

  /** Called when a new lease begins: messages claimed under the old one are no longer ours. */
  forget(): void {
    for (const { message, reject } of this.#changes.values()) reject(leaseLost(message.id));
    this.#changes.clear();
    for (const queue of this.#queues.values()) queue.forgetClaims();
  }

  #settlement(number: number, changes: ReadonlyMap<number, Change>): Asked {
    const live = this.#liveRounds(changes);
    const [gone, ended, freed]: [number[], number[], number[]] = [[], [], []];
    const moved: [number[], number[], number[], number[], (string | null)[]] = [[], [], [], [], []];
    const started: [number[], number[]] = [[], []];
    const freedOf = new Set<number>();
    for (const { message, fate } of changes.values()) {
      const { seq, attempts, round } = message;
      if (fate.kind === 'started') {
        message.isCharged = true;
        started[0].push(seq);
        started[1].push(attempts);
        continue;
      }
      if (message.isCharged) ended.push(seq);
      if (fate.kind === 'gone') {
        gone.push(seq);
        continue;
      }
      freed.push(seq);
      if (live.has(round)) freedOf.add(round);
      // Fetched but not used: the table still has it unchanged.
      if (fate.kind === 'ready' && fate.history === null) continue;
      moved[0].push(seq);
      moved[1].push(states[fate.kind]);
      moved[2].push(attempts);
      moved[3].push(fate.kind === 'delayed' ? fate.delayMs : 0);
      moved[4].push(fate.history);
    }
    const usual = [number, gone, ended, ...started, [...live]];
    return freed.length === 0 ? [settle, usual] : [settleAndMove, [...usual, ...moved, freed, [...freedOf]]];
  }

  /** Rounds with messages that are still ours when these changes are written. */
  #liveRounds(changes: ReadonlyMap<number, Change>): Set<number> {
    const live = new Set<number>();
    for (const queue of this.#queues.values()) {
      for (const { seq, round } of queue.claims.values()) {
        const fate = changes.get(seq)?.fate.kind;
        if (fate === undefined || fate === 'started') live.add(round);
      }
    }
    return live;
  }
}

function claimOf(number: number, round: number, wanted: readonly Wanted[]): Asked[] {
  const mine = [number, round];
  const names = wanted.map(({ queue }) => queue.name);
  const most = wanted.map((each) => each.most);
  const lanes = wanted.map(({ onlyHigh }) => (onlyHigh ? 0 : 1));
  const except = wanted.map((each) => (each.except ? JSON.stringify(each.except) : null));
  return [
    [take, [...mine, names, most, lanes, except]],
    [yieldToOthers, mine],
    [fetch, mine],
  ];
}

function leaseLost(id: string): PismakError {
  const text = `Message ${id} was given to another process: this process lost its lease because it was silent for too long.`;
  return new PismakError('conflict', text);
}
