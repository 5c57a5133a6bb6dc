/** The thread of a harvester: fetches, cleans and compresses. It has no database: the main thread stores what it reports. */
import { performance } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import { giveWayAsThread } from '../../engine/process/give-way.ts';
import { Slots } from '../../engine/turns/slots.ts';
import type { Findings, VisitResult } from '../batch/report.ts';
import type { CrawlDefinition } from '../crawl/options.ts';
import { loadScope } from '../crawl/scope.ts';
import { SegmentBuffer } from '../segments/segment-buffer.ts';
import { Converter } from './converter.ts';
import type { RunningBatch } from './domain-requests.ts';
import { PageMark } from './page-under-way.ts';
import { runBatch } from './run-batch.ts';
import { scout } from './scout.ts';
import { SeenLinks } from './seen-links.ts';
import { httpSegmenter } from './segmenter.ts';
import type { PageContext } from './store-page.ts';
import type { FromThread, ToThread } from './thread-messages.ts';
import { adaptLimit } from './threads-wanted.ts';

/** What the batches of a crawl share in this thread. */
interface CrawlContext extends PageContext {
  id: string;
  spent: Record<string, number>;
  /** Its part of `inFlight`. */
  slots: Slots;
}

giveWayAsThread();

/** Each crawl's context, the least recently used one first. */
const contexts = new Map<number, CrawlContext>();
const contextsKept = 20;
const mostOfSlots = 0.75;
const inFlight = new Slots(32);
const mark = new PageMark(workerData as SharedArrayBuffer);
const converter = new Converter(mark);
const batches = new Map<string, HarvestedBatch>();

/** Reports are at least this frequent while there is something to report, so that little is lost with the process. */
const reportMs = 400;
const reportPages = 250;
const reportBytes = 8_000_000;
const reportLinkCharacters = 1_000_000;
/** Maximum number of reports that are not stored yet; more would only fill the memory. */
const mostUnderWay = 3;

class HarvestedBatch implements RunningBatch {
  readonly id: string;
  readonly plan: RunningBatch['plan'];
  readonly over: SharedArrayBuffer;
  readonly #stopping = new AbortController();
  readonly stop = this.#stopping.signal;
  readonly crawl: number;
  notAfter: number;
  readonly #encoding: CrawlDefinition['encoding'];
  #buffer: SegmentBuffer;
  #visits: VisitResult[] = [];
  #linkCharacters = 0;
  #underWay = 0;
  #refused = false;
  #sending: Promise<void> = Promise.resolve();
  #room: (() => void)[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor({ batch, crawl, plan, over, notAfter, options }: Extract<ToThread, { kind: 'harvest' }>) {
    this.id = batch;
    this.crawl = crawl;
    this.plan = plan;
    this.over = over;
    this.notAfter = notAfter;
    this.#encoding = options.encoding;
    this.#buffer = new SegmentBuffer(this.#encoding);
    this.#timer = setInterval(() => this.#send(), reportMs);
  }

  abort(): void {
    this.#stopping.abort();
  }

  refuse(): void {
    this.#refused = true;
    this.abort();
    this.stored();
  }

  stored(): void {
    this.#underWay = Math.max(0, this.#underWay - 1);
    for (const resolve of this.#room.splice(0)) resolve();
  }

  async add(result: VisitResult, keep: (buffer: SegmentBuffer) => VisitResult | undefined): Promise<void> {
    const visit = keep(this.#buffer) ?? result;
    this.#visits.push(visit);
    for (const { url } of visit.links ?? []) this.#linkCharacters += url.length;
    const isFull = this.#visits.length >= reportPages || this.#buffer.bytes >= reportBytes;
    if (isFull || this.#linkCharacters >= reportLinkCharacters) this.#send();
    while (this.#underWay >= mostUnderWay && !this.#refused)
      await new Promise<void>((resolve) => this.#room.push(resolve));
  }

  /** Sends a report. Reports keep their order, although compressing a later one may take less time. */
  #send(ended = false): void {
    if (this.#refused || (this.#visits.length === 0 && !ended)) return;
    const [visits, buffer] = [this.#visits, this.#buffer];
    this.#visits = [];
    this.#linkCharacters = 0;
    this.#buffer = new SegmentBuffer(this.#encoding);
    this.#underWay++;
    const sealing = buffer.seal();
    this.#sending = this.#sending.then(async () => {
      const segment = await sealing;
      if (this.#refused) return;
      const spent = takeSpent(this.crawl);
      const { pages, scans } = buffer;
      const found: Findings = { visits, spent };
      tell({
        kind: 'report',
        batch: this.id,
        ended,
        report: JSON.stringify(found),
        ...segment,
        pages,
        scans,
      });
    });
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#send(true);
    await this.#sending;
  }
}

function tell(message: FromThread): void {
  // Transferred, not copied.
  const given =
    message.kind === 'report' && message.content.length > 0 ? [message.content.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(message, given);
}

function takeSpent(crawl: number): Record<string, number> {
  const context = contexts.get(crawl);
  const spent = context?.spent ?? {};
  if (context) context.spent = {};
  return spent;
}

async function contextOf(crawl: number, id: string, options: CrawlDefinition): Promise<CrawlContext> {
  const known = contexts.get(crawl);
  if (known?.id === id) {
    // The newest options count; links that were reported stay so.
    known.options = options;
    return known;
  }
  const context: CrawlContext = {
    id,
    slots: new Slots(inFlight.limit),
    options,
    scope: await loadScope(options),
    seen: new SeenLinks(),
    segmenter: options.segmenter === '' ? undefined : httpSegmenter(options.segmenter),
    spent: {},
    spend(activity: string, ms: number) {
      context.spent[activity] = (context.spent[activity] ?? 0) + ms;
    },
  };
  contexts.set(crawl, context);
  for (const oldest of contexts.keys()) {
    if (contexts.size <= contextsKept) break;
    contexts.delete(oldest);
  }
  return context;
}

parentPort?.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'scout': {
      const scouted = await scout(message.plan, message.options);
      const found: Findings = { visits: [], scouted };
      tell({
        kind: 'report',
        batch: message.batch,
        ended: true,
        report: JSON.stringify(found),
        content: new Uint8Array(),
        parts: [],
        pages: 0,
        scans: [],
      });
      return;
    }
    case 'harvest': {
      const batch = new HarvestedBatch(message);
      batches.set(batch.id, batch);
      // Queuekeepers stop crawls whose expressions can't be used; of such a crawl nothing is fetched.
      const context = await contextOf(message.crawl, message.id, message.options).catch(() => undefined);
      if (context)
        await runBatch(batch, {
          page: context,
          crawl: message.crawl,
          inFlight: { run: (work) => context.slots.run(() => inFlight.run(work)) },
          converter,
          mark,
          report: (_, result, keep) => batch.add(result, keep),
        });
      await batch.end();
      batches.delete(batch.id);
      return;
    }
    case 'stored': {
      const batch = batches.get(message.batch);
      if (batch) batch.notAfter = message.notAfter;
      if (message.isReport) batch?.stored();
      return;
    }
    case 'refused': {
      const batch = batches.get(message.batch);
      // Links in reports that were not stored must be reported again.
      if (batch) contexts.delete(batch.crawl);
      batch?.refuse();
      return;
    }
    case 'stop':
      batches.get(message.batch)?.abort();
  }
});

let before = performance.eventLoopUtilization();
setInterval(() => {
  mark.processes = converter.processes;
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, before);
  before = now;
  const all = [...contexts.values()];
  const waiting = all.reduce((sum, { slots }) => sum + slots.waiting, inFlight.waiting);
  inFlight.limit = adaptLimit(inFlight.limit, { utilization, waiting });
  // Servers that answer slowly keep their slots for minutes: of several crawls, none gets all.
  const active = new Set([...batches.values()].map(({ crawl }) => crawl)).size;
  const most = active > 1 ? Math.ceil(mostOfSlots * inFlight.limit) : inFlight.limit;
  for (const { slots } of all) slots.limit = most;
  const problems = [...contexts].flatMap(([crawl, { segmenter }]) =>
    segmenter?.problem === undefined ? [] : [{ crawl, problem: segmenter.problem }],
  );
  tell({ kind: 'load', utilization, inFlight: inFlight.used, problems, slow: converter.takeSlow() });
}, 1_000);
