import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { requestState, robotDatabase } from '../database/tables.ts';
import { parseRobots } from '../text/robots-rules.ts';
import { splitUrl } from '../text/url/split-url.ts';
import { findCrawl } from './crawls.ts';
import { judgeUrls } from './judge-urls.ts';
import { readDefinition } from './options.ts';

const stateNames = Object.fromEntries(Object.entries(requestState).map(([name, state]) => [state, name]));

/** What a crawl knows about a URL, in sentences, and its request if there is one. */
export async function explainUrl(engine: Engine, named: { crawl: string; owner: string }, url: string) {
  const { query } = robotDatabase(engine);
  const crawl = await findCrawl(query, named.crawl, named.owner);
  const options = readDefinition(crawl.options);
  const { include, exclude } = options;
  const [judged] = await judgeUrls({ include, exclude, owner: named.owner }, [url]);
  const normal = judged?.url;
  if (normal === undefined)
    throw new PismakError('invalid-input', `${url} is not an http or https address; write it with https://`);
  const lines: string[] = normal === url ? [] : [`The crawl spells it ${normal}.`];
  const { origin, path } = splitUrl(normal);
  const refusal = judged?.refusal;
  if (refusal !== undefined) lines.push(`The crawl skips it: ${refusal}.`);
  const domain = await query
    .selectFrom('robot_domain')
    .selectAll()
    .where('crawl', '=', crawl.number)
    .where('origin', '=', origin)
    .executeTakeFirst();
  if (!domain) {
    lines.push(`No link to ${origin} has been found.`);
    return { lines, request: null };
  }
  const addresses = (JSON.parse(domain.addresses) as string[]).join(', ') || 'no known address';
  lines.push(`${origin} is ${domain.state} (${addresses})${domain.problem ? `: ${domain.problem}` : ''}.`);
  if (domain.robots !== null) {
    const isAllowed = parseRobots(Buffer.from(domain.robots, 'latin1')).isAllowed(options.agent, path);
    lines.push(`robots.txt ${isAllowed ? 'allows' : 'forbids'} it for ${options.agent}.`);
  } else lines.push('robots.txt has not been read yet.');
  const blockedMs = Number(domain.blockedUntil) - engine.clock.now();
  if (blockedMs > 0)
    lines.push(`The robot leaves the host alone for another ${Math.ceil(blockedMs / 1000)} s.`);
  const row = await query
    .selectFrom('robot_request')
    .selectAll()
    .where('domain', '=', domain.id)
    .where('path', '=', path)
    .executeTakeFirst();
  if (!row) {
    lines.push('No link to this page has been found.');
    return { lines, request: null };
  }
  const state = stateNames[row.state] ?? String(row.state);
  // Outcomes such as `failed: http 404` include the state.
  const known = row.outcome ?? '';
  const what = known.startsWith(`${state}: `) ? known : [state, known].filter(Boolean).join(': ');
  lines.push(`The page is ${row.depth === 1 ? '1 link' : `${row.depth} links`} from a seed. It is ${what}.`);
  const number = (value: number | null) => (value === null ? null : Number(value));
  return {
    lines,
    request: {
      url: normal,
      state,
      outcome: row.outcome,
      depth: row.depth,
      attempts: row.attempts,
      status: row.status,
      usability: row.usability,
      via: row.via,
      fetchedAt: number(row.fetchedAt),
      notBefore: Number(row.notBefore),
    },
  };
}
