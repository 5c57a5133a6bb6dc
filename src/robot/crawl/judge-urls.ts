import { Worker } from 'node:worker_threads';
import { PismakError } from '../../engine/ground/errors.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import { checkExpressions, stepsIn, UnusableExpression } from './expression.ts';
import type { CrawlDefinition } from './options.ts';
import { loadScope, type Scope } from './scope.ts';

/** What a crawl makes of a URL. */
export interface JudgedUrl {
  /** As it is queued; undefined if it is not the address of a web page. */
  url: string | undefined;
  /** Why the crawl skips it; undefined if it does not. */
  refusal: string | undefined;
}

export function judgeUrl(scope: Scope, written: string): JudgedUrl {
  const url = scope.normalize(written);
  return { url, refusal: url === undefined ? undefined : scope.refusal(url) };
}

/** What the thread is given, and what it sends: judgements in the order of the URLs, or why it can't judge. */
export interface UrlsToJudge extends Pick<CrawlDefinition, 'include' | 'exclude'> {
  urls: readonly string[];
}
export type FromJudge = JudgedUrl[] | { unusable: string };

/** Work is about the steps of the expressions times the characters of the URLs. Up to here, it takes a few milliseconds. */
const littleWork = 100_000;
const fewSteps = 100;
/** The main thread goes on with other things after this time. */
const sliceMs = 10;

const usualCpuMs = 5_000;
const patienceMs = 60_000;
const lookMs = 100;

/** Users don't wait for each other. Each has one thread at a time. */
const turns = new OwnerSlots({ inAll: 4, perOwner: 1, waitingPerOwner: 100, what: 'crawls to be checked' });

/**
 * Normalises URLs and asks a crawl's scope about them, without delaying others: little work is done here in slices, more of it in a thread that
 * is killed when it takes more than `mostCpuMs` of processor time. Throws `UnusableExpression` if an expression is malformed, too large or too slow.
 */
export async function judgeUrls(
  { include, exclude, owner }: Pick<CrawlDefinition, 'include' | 'exclude'> & { owner: string },
  urls: readonly string[],
  { mostCpuMs = usualCpuMs }: { mostCpuMs?: number } = {},
): Promise<JudgedUrl[]> {
  checkExpressions({ include, exclude });
  const steps = stepsIn(include) + stepsIn(exclude);
  const characters = urls.reduce((sum, { length }) => sum + length, 0);
  if (steps === 0 || (steps <= fewSteps && steps * characters <= littleWork))
    return judgeInSlices(await loadScope({ include, exclude }), urls);
  return turns.run(owner, () => judgeInThread({ include, exclude, urls }, mostCpuMs));
}

async function judgeInSlices(scope: Scope, urls: readonly string[]): Promise<JudgedUrl[]> {
  const judged: JudgedUrl[] = [];
  let until = performance.now() + sliceMs;
  for (const [index, url] of urls.entries()) {
    judged.push(judgeUrl(scope, url));
    if (index % 16 !== 15 || performance.now() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = performance.now() + sliceMs;
  }
  return judged;
}

function judgeInThread(workerData: UrlsToJudge, mostCpuMs: number): Promise<JudgedUrl[]> {
  const thread = new Worker(new URL('./judge-urls-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
  });
  const judged: JudgedUrl[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<JudgedUrl[]>();
  const startedAt = performance.now();
  const look = setInterval(async () => {
    const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
    if (user + system > 1000 * mostCpuMs)
      reject(tooMuch(`more than ${mostCpuMs / 1000} s of processor time`));
    else if (performance.now() - startedAt > patienceMs)
      reject(new PismakError('unavailable', 'this machine is too busy to check the crawl; try again later'));
  }, lookMs);
  thread.on('message', (message: FromJudge) => {
    if ('unusable' in message) return reject(new UnusableExpression(message.unusable));
    // Pushed one by one: as arguments, they might exhaust the stack.
    for (const each of message) judged.push(each);
    if (judged.length === workerData.urls.length) resolve(judged);
  });
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch('too much memory') : error),
  );
  thread.on('exit', () => reject(new PismakError('unavailable', 'the check of the crawl ended early')));
  return promise.finally(async () => {
    clearInterval(look);
    await thread.terminate();
  });
}

function tooMuch(what: string): UnusableExpression {
  return new UnusableExpression(
    `include and exclude need ${what} to look at the seeds: simplify the expressions, or give fewer seeds`,
  );
}
