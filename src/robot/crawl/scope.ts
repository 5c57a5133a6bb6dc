import { PismakError } from '../../engine/errors.ts';
import { hostOf, splitUrl } from '../text/url/split-url.ts';
import type { CrawlDefinition } from './options.ts';

/** What belongs to a crawl. */
export interface Scope {
  normalize(url: string, base?: string): string | undefined;
  /** Whether the host of this normalised address belongs to the crawl. */
  accepts(url: string): boolean;
  /** Why the address looks like one of endlessly many. */
  trap(url: string): string | undefined;
}

const hostsRemembered = 100_000;

/** Expressions are run by RE2, whose time is linear in the length of the text: a careless one can't stop the crawl. */
export async function loadScope({
  include,
  exclude,
}: Pick<CrawlDefinition, 'include' | 'exclude'>): Promise<Scope> {
  const [{ isTrap }, { normalizeUrl }] = await Promise.all([
    import('../text/url/traps.ts'),
    import('../text/url/normalize-url.ts'),
  ]);
  const included = await compileExpression('include', include);
  const excluded = await compileExpression('exclude', exclude);
  const known = new Map<string, boolean>();
  return {
    normalize: normalizeUrl,
    trap: isTrap,
    accepts(url) {
      const { origin } = splitUrl(url);
      const before = known.get(origin);
      if (before !== undefined) return before;
      const host = hostOf(origin);
      const answer = (!included || included(host)) && !excluded?.(host);
      if (known.size >= hostsRemembered) known.clear();
      known.set(origin, answer);
      return answer;
    },
  };
}

/** Undefined if it is empty. Fails with what is wrong with it. */
export async function compileExpression(
  option: string,
  expression: string,
): Promise<((text: string) => boolean) | undefined> {
  if (expression === '') return undefined;
  const { RE2JS } = await import('re2js');
  try {
    const compiled = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
    return (text) => compiled.matcher(text).find();
  } catch (error) {
    throw new PismakError(
      'invalid-input',
      `${option} is not a regular expression that RE2 can run: ${error instanceof Error ? error.message : error}`,
    );
  }
}
