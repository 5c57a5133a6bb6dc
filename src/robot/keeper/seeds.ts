import { judgeUrls } from '../crawl/judge-urls.ts';
import type { CrawlDefinition } from '../crawl/options.ts';

/** The normalised seeds of a crawl, without those that it refuses. */
export async function acceptedSeeds(
  { include, exclude, seeds }: Pick<CrawlDefinition, 'include' | 'exclude' | 'seeds'>,
  owner: string,
): Promise<string[]> {
  const judged = await judgeUrls({ include, exclude, owner }, seeds);
  return judged.flatMap(({ url, refusal }) => (url === undefined || refusal !== undefined ? [] : [url]));
}
