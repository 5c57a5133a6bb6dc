import { robotsPath, type Stop, type Visit } from '../batch/plan.ts';
import type { VisitResult } from '../batch/report.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import type { Answer } from '../fetch/fetch-page.ts';
import type { Robots } from '../text/robots-rules.ts';
import { isHtml } from './converter.ts';
import type { Asked, DomainRequests } from './domain-requests.ts';
import type { PageUnderWay } from './page-under-way.ts';
import { type ReadPage, readPage } from './read-page.ts';
import { hasPage, storePage } from './store-page.ts';
import { visitOthersRules, visitRobots, visitTdm } from './visit-rules.ts';

/** Makes the visits of a stop: first robots.txt, then tdmrep.json, then pages, which keep to both. */
export async function runStop(requests: DomainRequests, stop: Stop): Promise<void> {
  const { visits } = stop;
  if (visits.length === 0) return;
  try {
    requests.open();
  } catch (error) {
    for (const visit of visits) await requests.fail(visit, error as FetchFailure);
    return;
  }
  try {
    const site: Site = { robots: undefined, stop };
    let next = 0;
    const [first] = visits;
    if (first?.kind === 'robots' && first.path === robotsPath) {
      next = 1;
      site.robots = await visitRobots(requests, first);
    }
    const second = visits[next];
    if (second?.kind === 'tdm' && requests.mayGoOn) {
      next++;
      const tdm = await visitTdm(requests, second, site.robots);
      if (tdm !== undefined) site.stop = { ...stop, tdm };
    }
    const work = async () => {
      while (next < visits.length && requests.mayGoOn) {
        const visit = visits[next++];
        if (visit?.kind === 'robots') await visitOthersRules(requests, visit);
        else if (visit) await visitPage(requests, visit, site);
      }
    };
    const concurrency = Math.min(requests.concurrency, visits.length);
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    await requests.close();
  }
}

/** The site with the rules that this batch has fetched. */
interface Site {
  robots: Robots | undefined;
  stop: Stop;
}

async function visitPage(requests: DomainRequests, visit: Visit, { robots, stop }: Site): Promise<void> {
  const { context, batch } = requests;
  if (robots && !robots.isAllowed(context.page.options.agent, visit.path)) return requests.disallow(visit);
  const headers = {
    ...(visit.etag !== undefined && { 'if-none-match': visit.etag }),
    ...(visit.lastModified !== undefined && { 'if-modified-since': visit.lastModified }),
  };
  const asked = await requests.ask(visit, { headers });
  if (!asked) return;
  const { answer, at, ms } = asked;
  if (answer instanceof FetchFailure) return requests.fail(visit, answer, { at, ms });
  requests.forgetFailures();
  const givenUp = giveUpOf(requests, visit, asked, answer);
  const underWay: PageUnderWay = {
    batch: batch.id,
    url: `${stop.origin}${visit.path}`,
    result: givenUp,
    line: requests.lineOf(asked, givenUp, visit.path),
    rules: batch.plan.rules,
  };
  const reading: Reading = { requests, visit, answer, mark: JSON.stringify(underWay) };
  const page = hasPage(answer) ? await read(reading) : undefined;
  // The crawl was stopped before the page could be judged: it is fetched again.
  if (page === 'unjudged') return;
  let result: VisitResult | undefined;
  await context.report(batch, requests.resultOf(visit), (buffer) => {
    result =
      page === 'unreadable'
        ? givenUp
        : unlessUnreadable(
            reading,
            () => storePage(context.page, buffer, { stop, visit, answer, at, ms, page }),
            givenUp,
          );
    requests.log(buffer, asked, result, visit.path);
    return result;
  });
  if (result?.slowDown) requests.leave();
}

interface Reading {
  requests: DomainRequests;
  visit: Visit;
  answer: Answer;
  /** Names the page for the main thread. */
  mark: string;
}

/** The page was answered, so it says nothing against its server, and another attempt would fail as well. */
function giveUpOf(requests: DomainRequests, visit: Visit, { at, ms }: Asked, answer: Answer): VisitResult {
  const { status, body } = answer;
  const reason = 'page that can not be read';
  return { ...requests.resultOf(visit), at, ms, status, bytes: body.length, outcome: 'not-kept', reason };
}

/** Works on a page under the eyes of the main thread, which ends this thread if that takes too long. A page that breaks our code is given up, too. */
function unlessUnreadable<T, Unreadable>(
  { requests, mark }: Reading,
  work: () => T,
  unreadable: Unreadable,
): T | Unreadable {
  try {
    return requests.context.mark.during(mark, work);
  } catch {
    return unreadable;
  }
}

/** Text and links; judged by the crawl's own segmenter, if it has one. */
async function read(reading: Reading): Promise<ReadPage | undefined | 'unjudged' | 'unreadable'> {
  const { requests, visit, answer } = reading;
  const { context, batch, stop } = requests;
  const { options, segmenter, spend } = context.page;
  const url = `${stop.origin}${visit.path}`;
  const wantsScans = options.scans !== '' && options.text;
  const from = { crawl: context.crawl, wantsScans, stop: batch.stop };
  const converted = isHtml(answer) ? undefined : await context.converter.convert(answer, url, from);
  if (converted === 'stopped') return 'unjudged';
  const page = unlessUnreadable(
    reading,
    () => readPage(answer, { url, converted, options, spend }),
    'unreadable' as const,
  );
  if (page === 'unreadable' || !segmenter) return page;
  for (const { measured, text, fragment } of page?.documents ?? []) {
    if (!measured) continue;
    const part = fragment === undefined ? '' : `#${fragment}`;
    const began = performance.now();
    const judgement = await segmenter.judge({ url: `${url}${part}`, text }, batch.stop);
    spend('wait for the segmenter', performance.now() - began);
    if (!judgement) return 'unjudged';
    Object.assign(measured.segmented, judgement, { isList: false });
  }
  return page;
}
