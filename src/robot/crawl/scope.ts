import { messageOf } from '../../engine/ground/errors.ts';
import { hostOf, originOf } from '../text/url/split-url.ts';
import { checkExpressions, UnusableExpression } from './expression.ts';
import type { CrawlDefinition } from './options.ts';

/** Which URLs a crawl visits. */
export interface Scope {
  /** The spelling under which a URL is queued; undefined if it is not the address of a web page. */
  normalize(url: string, base?: string): string | undefined;
  /**
   * Why the crawl skips a normalised URL; undefined if it does not. Every rule about URLs belongs here. Seeds, links, sitemaps, redirects of
   * pages, redirects of robots.txt to another host (not those within its host) and `robot explain` ask it. So a rule that is meant only for
   * pages must say so: sitemaps and robots.txt pass here too. It is asked when an address is queued, not when it is fetched: a new rule
   * does not remove what is queued already.
   */
  refusal(url: string): string | undefined;
}

/**
 * The rules of a crawl. Expressions come from users, and one of the largest takes milliseconds for each host: on the main thread, call
 * `judgeUrls` instead.
 */
export async function loadScope({
  include,
  exclude,
}: Pick<CrawlDefinition, 'include' | 'exclude'>): Promise<Scope> {
  checkExpressions({ include, exclude });
  const [{ trapIn }, { normalizeUrl }] = await Promise.all([
    import('../text/url/traps.ts'),
    import('../text/url/normalize-url.ts'),
  ]);
  const included = await compileExpression('include', include);
  const excluded = await compileExpression('exclude', exclude);
  const isOutside = rememberedByOrigin((host) => (included && !included(host)) || excluded?.(host) === true);
  return {
    normalize: normalizeUrl,
    refusal(url) {
      if (isOutside(url)) return 'host outside include and exclude';
      const trap = trapIn(url);
      return trap === undefined ? undefined : `looks endless: ${trap}`;
    },
  };
}

const originsRemembered = 100_000;

/** Answers a question about the host of a URL. Expressions are slow and hosts are few, so answers are remembered. */
function rememberedByOrigin(ask: (host: string) => boolean): (url: string) => boolean {
  const known = new Map<string, boolean>();
  return (url) => {
    const origin = originOf(url);
    const before = known.get(origin);
    if (before !== undefined) return before;
    const answer = ask(hostOf(origin));
    if (known.size >= originsRemembered) known.clear();
    known.set(origin, answer);
    return answer;
  };
}

/**
 * Compiles a regular expression with RE2, whose time is linear in the length of the text: a careless expression can't stall the crawl.
 * Undefined if it is empty.
 */
async function compileExpression(
  option: string,
  expression: string,
): Promise<((text: string) => boolean) | undefined> {
  if (expression === '') return undefined;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    throw new UnusableExpression(
      `${option} is not a regular expression that RE2 can run: ${messageOf(error)}`,
    );
  }
}
