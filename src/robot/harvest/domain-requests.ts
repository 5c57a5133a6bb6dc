import { setTimeout as wait } from 'node:timers/promises';
import type { Slots } from '../../engine/turns/slots.ts';
import type { BatchPlan, Stop, Visit } from '../batch/plan.ts';
import { againOf, type VisitResult } from '../batch/report.ts';
import { userAgent } from '../crawl/options.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import { type Answer, type Connection, connectTo } from '../fetch/fetch-page.ts';
import type { SegmentBuffer } from '../segments/segment-buffer.ts';
import type { Converter } from './converter.ts';
import { monotonic } from './monotonic.ts';
import type { PageMark } from './page-under-way.ts';
import type { PageContext } from './store-page.ts';

/** A batch under way. */
export interface RunningBatch {
  readonly id: string;
  readonly plan: BatchPlan;
  /** Shared with the threads that have other shares of the batch: a byte for each stop, in the order of the rows. */
  readonly over?: SharedArrayBuffer | undefined;
  /** No request begins after this, on the monotonic clock. Each stored report moves it. */
  notAfter: number;
  readonly stop: AbortSignal;
}

/** What all batches of a crawl share in this thread. */
export interface HarvestContext {
  page: PageContext;
  crawl: number;
  inFlight: Pick<Slots, 'run'>;
  converter: Converter;
  mark: PageMark;
  /** Takes the result, and what the visit stored. Resolves when there is room for more. */
  report(
    batch: RunningBatch,
    result: VisitResult,
    keep: (buffer: SegmentBuffer) => VisitResult | undefined,
  ): Promise<void>;
}

/** When requests of a stop may begin. */
export interface Pace {
  mayGoOn(): boolean;
  /** Time since the epoch of a moment on the monotonic clock. */
  timeOf(moment: number): number;
  slots: Slots;
  /** The hosts of the row, by name. */
  hosts: Map<string, AskedHost>;
  /** Not 0 if the host asked us to leave, or does not answer: what is left waits for a later batch. */
  isOver: Uint8Array;
}

/** What a host got in this batch. */
export interface AskedHost {
  requests: number;
  /** When it may be asked next, on the monotonic clock. */
  notBefore: number;
}

export interface Asked {
  answer: Answer | FetchFailure;
  at: number;
  ms: number;
}

interface AskOptions {
  headers?: Record<string, string>;
  limit?: number;
}

const mostFailures = 3;
/** How long a request under way may last after its crawl was stopped. */
const stopGraceMs = 1_000;

/** Makes the requests to one domain, each when the rules allow it, and reports and logs each of them. */
export class DomainRequests {
  readonly batch: RunningBatch;
  readonly stop: Stop;
  readonly context: HarvestContext;
  readonly #pace: Pace;
  readonly #host: AskedHost;
  #connection: Connection | undefined;
  #delayMs: number;
  #failures = 0;

  constructor(batch: RunningBatch, stop: Stop, context: HarvestContext, pace: Pace) {
    this.batch = batch;
    this.stop = stop;
    this.context = context;
    this.#pace = pace;
    this.#delayMs = stop.delayMs;
    this.#host = pace.hosts.get(stop.host) ?? { requests: 0, notBefore: 0 };
    pace.hosts.set(stop.host, this.#host);
  }

  /** Throws a `FetchFailure` if the address must not be contacted. */
  open(): void {
    const { options } = this.context.page;
    this.#connection = connectTo(this.stop, {
      timeoutMs: options.pageTimeout * 1000,
      limitBytes: Math.round(options.pageLimitMb * 1e6),
      connections: this.#delayMs === 0 ? this.#atOnce : 1,
      allowPrivate: options.allowPrivate,
      contact: options.contact,
      headers: this.#headers(),
    });
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  get #atOnce(): number {
    return this.stop.atOnce ?? this.batch.plan.rules.maxHosts;
  }

  /** How many requests may be under way at once. */
  get concurrency(): number {
    return this.#delayMs === 0 ? this.#atOnce : 1;
  }

  /** Redirects of robots.txt and repeated requests may use up what pages were planned for. */
  get hasMore(): boolean {
    return this.#host.requests < (this.stop.most ?? this.batch.plan.rules.maxReqs);
  }

  get mayGoOn(): boolean {
    return Atomics.load(this.#pace.isOver, 0) === 0 && this.#pace.mayGoOn();
  }

  /** Makes no more requests to the domain in this batch. */
  leave(): void {
    Atomics.store(this.#pace.isOver, 0, 1);
  }

  /** Keeps at least this delay from now on. */
  keepDelay(delayMs: number): void {
    const moreMs = Math.max(0, delayMs - this.#delayMs);
    this.#delayMs += moreMs;
    this.#host.notBefore += moreMs;
  }

  /** What the server answers. A request that met a closing connection is made again, and counts like any other. */
  async ask(visit: Visit, more: AskOptions): Promise<Asked | undefined> {
    const asked = await this.#askUnlessStopped(visit, more);
    if (!(asked?.answer instanceof FetchFailure && asked.answer.wasIdle)) return asked;
    await this.#postpone(visit, asked, asked.answer);
    return this.#askUnlessStopped(visit, more);
  }

  async #askUnlessStopped(visit: Visit, more: AskOptions): Promise<Asked | undefined> {
    const asked = await this.#askOnce(visit.path, more);
    if (!(asked?.answer instanceof FetchFailure && asked.answer.kind === stopped)) return asked;
    await this.#postpone(visit, asked, asked.answer);
    return undefined;
  }

  /** Reports a request that says nothing about the page or its server. */
  #postpone(visit: Visit, asked: Asked, { kind: reason }: FetchFailure): Promise<void> {
    const { at, ms } = asked;
    return this.report(asked, { ...this.resultOf(visit), at, ms, reason }, visit.path);
  }

  /** One request, when its time has come. Undefined if the batch ended before. */
  async #askOnce(path: string, { headers = {}, limit }: AskOptions): Promise<Asked | undefined> {
    const { page, inFlight } = this.context;
    const { slots, mayGoOn, timeOf } = this.#pace;
    const { stop } = this.batch;
    const host = this.#host;
    const asked = await slots.run(() =>
      inFlight.run(async () => {
        const early = host.notBefore - monotonic();
        if (this.#delayMs > 0 && early > 0 && this.hasMore) await pause(early, stop);
        if (!this.#connection || !mayGoOn() || !this.hasMore) return undefined;
        host.requests++;
        const began = monotonic();
        const answering = this.#connection.get(path, headers, limit).catch((error: unknown) => {
          if (error instanceof FetchFailure) return error;
          throw error;
        });
        const answer = await beforeStop(answering, stop);
        const ended = monotonic();
        host.notBefore = ended + this.#delayMs + 1;
        page.spend('wait for servers', ended - began);
        // Not rounded up: a log must not show an end later than it was.
        return { answer, at: timeOf(began), ms: Math.floor(ended - began) };
      }),
    );
    if (asked && page.options.wait > 0) await pause(1000 * page.options.wait, stop);
    return asked;
  }

  async fail(visit: Visit, failure: FetchFailure, time = { at: Date.now(), ms: 0 }): Promise<void> {
    const isDown = failure.isTemporary && ++this.#failures >= mostFailures;
    if (isDown) this.leave();
    const result: VisitResult = {
      ...this.resultOf(visit),
      ...time,
      reason: failure.kind,
      outcome: failure.isTemporary ? 'later' : 'failed',
      ...(isDown && { slowDown: { isDown } }),
    };
    await this.report({ ...time, answer: failure }, result, visit.path);
  }

  /** A page was answered: earlier failures no longer count. */
  forgetFailures(): void {
    this.#failures = 0;
  }

  /** Reports a visit that was not made, because robots.txt forbids it. */
  disallow(visit: Visit, more: Pick<VisitResult, 'tdm'> = {}): Promise<void> {
    const result = { ...this.resultOf(visit), outcome: 'disallowed', reason: 'robots.txt', ...more } as const;
    return this.context.report(this.batch, result, () => undefined);
  }

  /** Reports and logs a request for the path; the host is left alone if it asked for that. */
  async report(asked: Asked, result: VisitResult, path: string): Promise<void> {
    if (result.slowDown) this.leave();
    await this.context.report(this.batch, result, (buffer) => this.log(buffer, asked, result, path));
  }

  /** A result that says nothing about the page yet. */
  resultOf(visit: Visit): VisitResult {
    const { path, kind, depth, attempts } = visit;
    const { domain } = this.stop;
    return {
      domain,
      path,
      kind,
      depth,
      attempts,
      outcome: 'postponed',
      at: Date.now(),
      ms: 0,
      bytes: 0,
      ...againOf(visit),
    };
  }

  log(buffer: SegmentBuffer, asked: Asked, result: VisitResult, path: string): undefined {
    buffer.addRequest(this.lineOf(asked, result, path), this.batch.plan.rules);
  }

  /** The request as it is logged. */
  lineOf({ at, ms, answer }: Asked, result: VisitResult, path: string): object {
    const { address, host, origin } = this.stop;
    const { rules } = this.batch.plan;
    return {
      at,
      ms,
      address,
      host,
      url: `${origin}${path}`,
      outcome: result.outcome,
      ...(result.reason !== undefined && { reason: result.reason }),
      ...(answer instanceof FetchFailure ? {} : { status: answer.status, bytes: answer.raw.length }),
      ...(this.#delayMs > rules.reqDelayMs && { delayMs: this.#delayMs }),
      batch: this.batch.id,
    };
  }

  /** Sent with every request. */
  #headers(): Record<string, string> {
    const { options } = this.context.page;
    return {
      'user-agent': userAgent(options),
      accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5',
      'accept-encoding': 'gzip, br, zstd, deflate',
      'accept-language': options.language.length > 0 ? `${options.language.join(',')},*;q=0.5` : '*',
    };
  }
}

const stopped = 'stopped';

/** The answer, or soon after the crawl was stopped a failure: a server may take minutes to answer. */
async function beforeStop(
  answering: Promise<Answer | FetchFailure>,
  stop: AbortSignal,
): Promise<Answer | FetchFailure> {
  const over = new AbortController();
  const { promise, resolve } = Promise.withResolvers<FetchFailure>();
  const giveUp = () =>
    wait(stopGraceMs, undefined, { signal: over.signal }).then(
      () => resolve(new FetchFailure(stopped, { isTemporary: true })),
      () => {},
    );
  if (stop.aborted) void giveUp();
  else stop.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([answering, promise]);
  } finally {
    stop.removeEventListener('abort', giveUp);
    over.abort();
  }
}

export async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await wait(Math.ceil(ms), undefined, { signal: stop }).catch(() => {});
}
