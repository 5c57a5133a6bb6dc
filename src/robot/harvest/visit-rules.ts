import type { Visit } from '../batch/plan.ts';
import type { VisitResult } from '../batch/report.ts';
import { FetchFailure } from '../fetch/fetch-failure.ts';
import { askedToSlowDown } from '../politeness/slow-down.ts';
import type { Robots } from '../text/robots-rules.ts';
import type { Asked, DomainRequests } from './domain-requests.ts';
import { readRobots, robotsLimit, unfinished } from './read-robots.ts';
import type { PageContext } from './store-page.ts';
import { readTdm, tdmLimit } from './tdm-reservation.ts';

const mostRedirects = 5;
const mostSitemaps = 100;

/** Reservations of text and data mining for the whole site, as far as robots.txt lets us see them; undefined if unknown. */
export async function visitTdm(
  requests: DomainRequests,
  visit: Visit,
  robots: Robots | undefined,
): Promise<string | undefined> {
  if (robots && !robots.isAllowed(requests.context.page.options.agent, visit.path)) {
    await requests.disallow(visit, { tdm: '' });
    return undefined;
  }
  const asked = await requests.ask(visit, { limit: tdmLimit });
  if (!asked) return undefined;
  const result = { ...answered(requests, visit, asked), ...readTdm(asked.answer) };
  await requests.report(asked, result, visit.path);
  return result.tdm;
}

/** Fetches robots.txt, follows redirects within the host, and leaves those to another host to the keeper. */
export async function visitRobots(requests: DomainRequests, visit: Visit): Promise<Robots | undefined> {
  const { origin } = requests.stop;
  const { page } = requests.context;
  let path = visit.path;
  for (let hops = 0; ; hops++) {
    const asked = await requests.ask({ ...visit, path }, { limit: robotsLimit });
    if (!asked) {
      requests.leave();
      return undefined;
    }
    const { answer, at, ms } = asked;
    const isRedirect = !(answer instanceof FetchFailure) && answer.status >= 300 && answer.status < 400;
    const target = isRedirect
      ? page.scope.normalize(answer.headers.location ?? '', `${origin}${path}`)
      : undefined;
    const here = target?.startsWith(`${origin}/`) ?? false;
    const goesOn = target !== undefined && here && hops < mostRedirects;
    if (goesOn && requests.hasMore) {
      const postponed: VisitResult = { ...requests.resultOf(visit), at, ms, reason: 'redirected' };
      await requests.report(asked, postponed, path);
      path = target.slice(origin.length);
      continue;
    }
    const isElsewhere = target !== undefined && !here && page.scope.refusal(target) === undefined;
    const { robots, found } = goesOn ? unfinished : readRobots(answer, page.options.agent);
    const result: VisitResult = {
      ...answered(requests, visit, asked),
      ...found,
      ...(robots && sitemapsOf(robots, origin, page)),
    };
    if (isElsewhere) {
      result.robotsAt = target;
      delete result.robots;
    }
    await requests.report(asked, result, path);
    if (isElsewhere || !robots) requests.leave();
    requests.keepDelay(found.crawlDelayMs ?? 0);
    return robots;
  }
}

/** Fetches the rules of another site, whose robots.txt was redirected here. */
export async function visitOthersRules(requests: DomainRequests, visit: Visit): Promise<void> {
  const asked = await requests.ask(visit, { limit: robotsLimit });
  if (!asked) return;
  const { found } = readRobots(asked.answer, requests.context.page.options.agent);
  await requests.report(asked, { ...answered(requests, visit, asked), ...found }, visit.path);
}

/** What every answer tells, whatever its content means. */
function answered(requests: DomainRequests, visit: Visit, { answer, at, ms }: Asked): VisitResult {
  const known = { ...requests.resultOf(visit), at, ms };
  if (answer instanceof FetchFailure) return known;
  const slowDown = askedToSlowDown(answer, at);
  return {
    ...known,
    status: answer.status,
    bytes: answer.body.length,
    ...(slowDown && { slowDown }),
  };
}

/** Sitemaps don't say how far a page is from the seeds, so they are read only if the crawl has no limit of depth. */
function sitemapsOf(
  robots: Robots,
  origin: string,
  { options, scope }: PageContext,
): Pick<VisitResult, 'links'> {
  if (options.depth > 0) return {};
  const urls = robots.sitemaps
    .slice(0, mostSitemaps)
    .flatMap((url) => scope.normalize(url, origin) ?? [])
    .filter((url) => scope.refusal(url) === undefined);
  return { links: urls.map((url) => ({ url, depth: 1, parent: 1 })) };
}
