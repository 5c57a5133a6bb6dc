import { setTimeout as wait } from 'node:timers/promises';
import { Slots } from '../../engine/turns/slots.ts';
import { type BatchPlan, robotsPath, type Stop, type Visit } from '../batch/plan.ts';
import { againOf, type VisitResult } from '../batch/report.ts';
import { userAgent } from '../crawl/options.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import { type Answer, type Connection, connectTo } from '../fetch/fetch-page.ts';
import { longestBatchMs } from '../politeness/rules.ts';
import { readRetryAfter } from '../politeness/slow-down.ts';
import type { SegmentBuffer } from '../segments/segment-buffer.ts';
import type { Robots } from '../text/robots-rules.ts';
import { type Converter, isHtml } from './converter.ts';
import { monotonic, timeline } from './monotonic.ts';
import { type ReadPage, readPage } from './read-page.ts';
import { readRobots, robotsLimit, unfinished } from './robots-visit.ts';
import { hasPage, type PageContext, storePage } from './store-page.ts';
import { readTdm, tdmLimit } from './tdm-reservation.ts';

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

/** Where results go, and what all batches of this thread share. */
export interface HarvestParts {
  context: PageContext;
  inFlight: Slots;
  converter: Converter;
  /** Takes the result, and what the visit stored. Resolves when there is room for more. */
  report(
    batch: RunningBatch,
    result: VisitResult,
    keep: (buffer: SegmentBuffer) => VisitResult | undefined,
  ): Promise<void>;
}

const mostRedirects = 5;
const mostFailures = 3;
const mostSitemaps = 100;

/** Carries out a batch: rows run side by side, each in its order and with the delay of its hosts. */
export async function runBatch(batch: RunningBatch, parts: HarvestParts): Promise<void> {
  const { rows, rules } = batch.plan;
  const hardEnd = monotonic() + longestBatchMs;
  const timeOf = timeline();
  const addresses = new Map<string, Slots>();
  const slotsAt = ({ address, atOnce = rules.maxHosts }: Stop) => {
    const slots = addresses.get(address) ?? new Slots(atOnce);
    slots.limit = Math.min(slots.limit, atOnce);
    addresses.set(address, slots);
    return slots;
  };
  const mayGoOn = () => !batch.stop.aborted && monotonic() < Math.min(batch.notAfter, hardEnd);
  const delays = rows.map(([first]) => first?.delayMs ?? 0);
  // The other threads that have a share of this batch see at once what a host asks one of them.
  const over = new Uint8Array(batch.over ?? new ArrayBuffer(rows.flat().length));
  const starts = rows.map((_, index) => rows.slice(0, index).flat().length);
  const staggerMs = rows.length > 1 ? Math.min(...delays) / rows.length : 0;
  await Promise.all(
    rows.map(async (row, index) => {
      // Rows begin one after another within the first delay, as if columns were read from top to bottom.
      if (index > 0 && staggerMs > 0) await pause(staggerMs * index, batch.stop);
      const hosts = new Map<string, AskedHost>();
      for (const [column, stop] of row.entries()) {
        if (!mayGoOn()) return;
        const isOver = over.subarray((starts[index] ?? 0) + column);
        await new StopRun(batch, stop, parts, { mayGoOn, timeOf, slots: slotsAt(stop), hosts, isOver }).run();
      }
    }),
  );
}

interface StopParts {
  mayGoOn(): boolean;
  /** Of moments of the monotonic clock. */
  timeOf(moment: number): number;
  slots: Slots;
  /** Those of the row, by name. */
  hosts: Map<string, AskedHost>;
  /** Not 0 if the host asked us to leave, or does not answer: what is left waits for a later batch. */
  isOver: Uint8Array;
}

/** What a host got in this batch. */
interface AskedHost {
  requests: number;
  /** When it may be asked next, on the monotonic clock. */
  notBefore: number;
}

interface AskOptions {
  headers?: Record<string, string>;
  limit?: number;
}

interface Asked {
  answer: Answer | FetchFailure;
  at: number;
  ms: number;
}

/** The requests to one domain. */
class StopRun {
  readonly #batch: RunningBatch;
  #stop: Stop;
  readonly #parts: HarvestParts;
  readonly #own: StopParts;
  readonly #host: AskedHost;
  #delayMs: number;
  #robots: Robots | undefined;
  #failures = 0;

  constructor(batch: RunningBatch, stop: Stop, parts: HarvestParts, own: StopParts) {
    this.#batch = batch;
    this.#stop = stop;
    this.#parts = parts;
    this.#own = own;
    this.#delayMs = stop.delayMs;
    this.#host = own.hosts.get(stop.host) ?? { requests: 0, notBefore: 0 };
    own.hosts.set(stop.host, this.#host);
  }

  /** Redirects of robots.txt and repeated requests may use up what pages were planned for. */
  get #hasMore(): boolean {
    return this.#host.requests < (this.#stop.most ?? this.#batch.plan.rules.maxReqs);
  }

  get #isOver(): boolean {
    return Atomics.load(this.#own.isOver, 0) !== 0;
  }

  #leave(): void {
    Atomics.store(this.#own.isOver, 0, 1);
  }

  async run(): Promise<void> {
    const { visits, atOnce = this.#batch.plan.rules.maxHosts } = this.#stop;
    const { options } = this.#parts.context;
    if (visits.length === 0) return;
    let connection: Connection;
    try {
      connection = connectTo(this.#stop, {
        timeoutMs: options.pageTimeout * 1000,
        limitBytes: Math.round(options.pageLimitMb * 1e6),
        connections: this.#delayMs === 0 ? atOnce : 1,
        allowPrivate: options.allowPrivate,
        headers: this.#headers(),
      });
    } catch (error) {
      for (const visit of visits) await this.#fail(visit, error as FetchFailure);
      return;
    }
    try {
      const [first] = visits;
      let next = 0;
      if (first?.kind === 'robots' && first.path === robotsPath) {
        next = 1;
        await this.#visitRobots(connection, first);
      }
      const second = visits[next];
      if (second?.kind === 'tdm' && !this.#isOver && this.#own.mayGoOn()) {
        next++;
        await this.#visitTdm(connection, second);
      }
      const work = async () => {
        while (next < visits.length && !this.#isOver && this.#own.mayGoOn()) {
          const visit = visits[next++];
          if (visit?.kind === 'robots') await this.#visitOthersRules(connection, visit);
          else if (visit) await this.#visit(connection, visit);
        }
      };
      const sideBySide = this.#delayMs === 0 ? Math.min(atOnce, visits.length) : 1;
      await Promise.all(Array.from({ length: sideBySide }, work));
    } finally {
      await connection.close();
    }
  }

  async #visit(connection: Connection, visit: Visit): Promise<void> {
    const { context } = this.#parts;
    if (this.#robots && !this.#robots.isAllowed(context.options.agent, visit.path)) {
      const result = { ...this.#resultOf(visit), outcome: 'disallowed', reason: 'robots.txt' } as const;
      return this.#parts.report(this.#batch, result, () => undefined);
    }
    const headers = {
      ...(visit.etag !== undefined && { 'if-none-match': visit.etag }),
      ...(visit.lastModified !== undefined && { 'if-modified-since': visit.lastModified }),
    };
    const asked = await this.#ask(connection, visit, { headers });
    if (!asked) return;
    const { answer, at, ms } = asked;
    if (answer instanceof FetchFailure) return this.#fail(visit, answer, { at, ms });
    this.#failures = 0;
    const page = hasPage(answer) ? await this.#read(visit, answer) : undefined;
    // The crawl was stopped before the page could be judged: it is fetched again.
    if (page === 'unjudged') return;
    let result: VisitResult | undefined;
    await this.#parts.report(this.#batch, this.#resultOf(visit), (buffer) => {
      result = storePage(context, buffer, { stop: this.#stop, visit, answer, at, ms, page });
      this.#log(buffer, { url: `${this.#stop.origin}${visit.path}`, at, ms, answer, result });
      return result;
    });
    if (result?.slowDown) this.#leave();
  }

  /** Text and links; judged by the crawl's own segmenter, if it has one. */
  async #read(visit: Visit, answer: Answer): Promise<ReadPage | undefined | 'unjudged'> {
    const { context, converter } = this.#parts;
    const { options, segmenter, spend } = context;
    const url = `${this.#stop.origin}${visit.path}`;
    const converted = isHtml(answer)
      ? undefined
      : await converter.convert(answer, url, options.scans !== '' && options.text);
    const page = readPage(answer, { url, converted, options, spend });
    if (!segmenter) return page;
    for (const { measured, text, fragment } of page?.documents ?? []) {
      if (!measured) continue;
      const part = fragment === undefined ? '' : `#${fragment}`;
      const began = performance.now();
      const judgement = await segmenter.judge({ url: `${url}${part}`, text }, this.#batch.stop);
      spend('wait for the segmenter', performance.now() - began);
      if (!judgement) return 'unjudged';
      Object.assign(measured.segmented, judgement, { isList: false });
    }
    return page;
  }

  /** Reservations of text and data mining for the whole site, as far as robots.txt lets us see them. */
  async #visitTdm(connection: Connection, visit: Visit): Promise<void> {
    const { agent } = this.#parts.context.options;
    const known = this.#resultOf(visit);
    if (this.#robots && !this.#robots.isAllowed(agent, visit.path)) {
      const result: VisitResult = { ...known, outcome: 'disallowed', reason: 'robots.txt', tdm: '' };
      return this.#parts.report(this.#batch, result, () => undefined);
    }
    const asked = await this.#ask(connection, visit, { limit: tdmLimit });
    if (!asked) return;
    const { answer, at, ms } = asked;
    const isAnswer = !(answer instanceof FetchFailure);
    const slowDown = isAnswer ? this.#askedToSlowDown(answer, at) : undefined;
    const result: VisitResult = {
      ...known,
      at,
      ms,
      ...readTdm(answer),
      ...(isAnswer && { status: answer.status, bytes: answer.body.length }),
      ...(slowDown && { slowDown }),
    };
    if (slowDown) this.#leave();
    if (result.tdm !== undefined) this.#stop = { ...this.#stop, tdm: result.tdm };
    const url = `${this.#stop.origin}${visit.path}`;
    await this.#parts.report(this.#batch, result, (buffer) =>
      this.#log(buffer, { url, at, ms, answer, result }),
    );
  }

  /** Follows redirects within the host. The rules of another host are the keeper's business. */
  async #visitRobots(connection: Connection, visit: Visit): Promise<void> {
    const { context } = this.#parts;
    let path = visit.path;
    for (let hops = 0; ; hops++) {
      const asked = await this.#ask(connection, { ...visit, path }, { limit: robotsLimit });
      if (!asked) {
        this.#leave();
        return;
      }
      const { answer, at, ms } = asked;
      const url = `${this.#stop.origin}${path}`;
      const known = { ...this.#resultOf(visit), at, ms };
      const isRedirect = !(answer instanceof FetchFailure) && answer.status >= 300 && answer.status < 400;
      const target = isRedirect ? context.scope.normalize(answer.headers.location ?? '', url) : undefined;
      const here = target?.startsWith(`${this.#stop.origin}/`) ?? false;
      const goesOn = target !== undefined && here && hops < mostRedirects;
      if (goesOn && this.#hasMore) {
        path = target.slice(this.#stop.origin.length);
        const result: VisitResult = { ...known, outcome: 'postponed', reason: 'redirected' };
        await this.#parts.report(this.#batch, result, (buffer) =>
          this.#log(buffer, { url, at, ms, answer, result }),
        );
        continue;
      }
      const isElsewhere = target !== undefined && !here && context.scope.accepts(target);
      const { robots, found } = goesOn ? unfinished : readRobots(answer, context.options.agent);
      const slowDown = answer instanceof FetchFailure ? undefined : this.#askedToSlowDown(answer, at);
      const result: VisitResult = {
        ...known,
        ...found,
        ...(answer instanceof FetchFailure ? {} : { status: answer.status, bytes: answer.body.length }),
        ...(slowDown && { slowDown }),
        ...(robots && this.#sitemaps(robots)),
      };
      if (isElsewhere) {
        result.robotsAt = target;
        delete result.robots;
      }
      await this.#parts.report(this.#batch, result, (buffer) =>
        this.#log(buffer, { url, at, ms, answer, result }),
      );
      if (isElsewhere || !robots) this.#leave();
      this.#robots = robots;
      const moreMs = Math.max(0, (found.crawlDelayMs ?? 0) - this.#delayMs);
      this.#delayMs += moreMs;
      this.#host.notBefore += moreMs;
      return;
    }
  }

  /** The rules of another site, whose robots.txt was redirected here. */
  async #visitOthersRules(connection: Connection, visit: Visit): Promise<void> {
    const asked = await this.#ask(connection, visit, { limit: robotsLimit });
    if (!asked) return;
    const { answer, at, ms } = asked;
    const isAnswer = !(answer instanceof FetchFailure);
    const slowDown = isAnswer ? this.#askedToSlowDown(answer, at) : undefined;
    const { found } = readRobots(answer, this.#parts.context.options.agent);
    const result: VisitResult = {
      ...this.#resultOf(visit),
      at,
      ms,
      ...found,
      ...(isAnswer && { status: answer.status, bytes: answer.body.length }),
      ...(slowDown && { slowDown }),
    };
    if (slowDown) this.#leave();
    const url = `${this.#stop.origin}${visit.path}`;
    await this.#parts.report(this.#batch, result, (buffer) =>
      this.#log(buffer, { url, at, ms, answer, result }),
    );
  }

  /** Sitemaps say nothing about how far a page is from the seeds, so they are read only without a limit of depth. */
  #sitemaps(robots: Robots): Pick<VisitResult, 'links'> {
    const { options, scope } = this.#parts.context;
    if (options.depth > 0) return {};
    const urls = robots.sitemaps
      .slice(0, mostSitemaps)
      .flatMap((url) => scope.normalize(url, this.#stop.origin) ?? [])
      .filter((url) => scope.accepts(url));
    return { links: urls.map((url) => ({ url, depth: 1, parent: 1 })) };
  }

  #askedToSlowDown({ status, headers }: Answer, at: number): VisitResult['slowDown'] {
    if (status !== 429 && status !== 503) return undefined;
    const retryAfterMs = readRetryAfter(headers['retry-after'], at);
    return retryAfterMs === undefined ? {} : { retryAfterMs };
  }

  /** What the server answers. A request that met a closing connection is made again, and counts like any other. */
  async #ask(connection: Connection, visit: Visit, more: AskOptions): Promise<Asked | undefined> {
    const asked = await this.#askOnce(connection, visit.path, more);
    if (!(asked?.answer instanceof FetchFailure && asked.answer.wasIdle)) return asked;
    const { at, ms, answer } = asked;
    const result: VisitResult = { ...this.#resultOf(visit), at, ms, reason: answer.kind };
    const url = `${this.#stop.origin}${visit.path}`;
    await this.#parts.report(this.#batch, result, (buffer) =>
      this.#log(buffer, { url, at, ms, answer, result }),
    );
    return this.#askOnce(connection, visit.path, more);
  }

  /** One request, when its time has come. Undefined if the batch ended before. */
  async #askOnce(
    connection: Connection,
    path: string,
    { headers = {}, limit }: AskOptions,
  ): Promise<Asked | undefined> {
    const { context, inFlight } = this.#parts;
    const { slots, mayGoOn, timeOf } = this.#own;
    const { stop } = this.#batch;
    const host = this.#host;
    const asked = await slots.run(() =>
      inFlight.run(async () => {
        const early = host.notBefore - monotonic();
        if (this.#delayMs > 0 && early > 0 && this.#hasMore) await pause(early, stop);
        if (!mayGoOn() || !this.#hasMore) return undefined;
        host.requests++;
        const began = monotonic();
        const answer = await connection.get(path, headers, limit).catch((error: unknown) => {
          if (error instanceof FetchFailure) return error;
          throw error;
        });
        const ended = monotonic();
        host.notBefore = ended + this.#delayMs + 1;
        context.spend('wait for servers', ended - began);
        // Not rounded up: a log must not show an end later than it was.
        return { answer, at: timeOf(began), ms: Math.floor(ended - began) };
      }),
    );
    if (asked && context.options.wait > 0) await pause(1000 * context.options.wait, stop);
    return asked;
  }

  /** Sent with every request. */
  #headers(): Record<string, string> {
    const { options } = this.#parts.context;
    return {
      'user-agent': userAgent(options),
      accept: 'text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5',
      'accept-encoding': 'gzip, br, zstd, deflate',
      'accept-language': options.language.length > 0 ? `${options.language.join(',')},*;q=0.5` : '*',
    };
  }

  async #fail(visit: Visit, failure: FetchFailure, time = { at: Date.now(), ms: 0 }): Promise<void> {
    const isDown = failure.isTemporary && ++this.#failures >= mostFailures;
    if (isDown) this.#leave();
    const result: VisitResult = {
      ...this.#resultOf(visit),
      ...time,
      reason: failure.kind,
      outcome: failure.isTemporary ? 'later' : 'failed',
      ...(isDown && { slowDown: { isDown } }),
    };
    const url = `${this.#stop.origin}${visit.path}`;
    await this.#parts.report(this.#batch, result, (buffer) =>
      this.#log(buffer, { url, ...time, answer: failure, result }),
    );
  }

  #resultOf(visit: Visit): VisitResult {
    const { path, kind, depth, attempts } = visit;
    const { domain } = this.#stop;
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

  #log(
    buffer: SegmentBuffer,
    {
      url,
      at,
      ms,
      answer,
      result,
    }: { url: string; at: number; ms: number; answer: Answer | FetchFailure; result: VisitResult },
  ): undefined {
    const { address, host } = this.#stop;
    const { rules } = this.#batch.plan;
    const line = {
      at,
      ms,
      address,
      host,
      url,
      outcome: result.outcome,
      ...(result.reason !== undefined && { reason: result.reason }),
      ...(answer instanceof FetchFailure ? {} : { status: answer.status, bytes: answer.raw.length }),
      ...(this.#delayMs > rules.reqDelayMs && { delayMs: this.#delayMs }),
      batch: this.#batch.id,
    };
    buffer.addRequest(line, rules);
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await wait(Math.ceil(ms), undefined, { signal: stop }).catch(() => {});
}
