import type { CrawlDefinition } from '../crawl/options.ts';
import { loadScope } from '../crawl/scope.ts';
import { splitUrl } from '../text/url/split-url.ts';
import type { NewRequest } from './frontier.ts';

/** The requests that a crawl begins with, without the seeds that it refuses. */
export async function seedRequests(
  options: CrawlDefinition,
  domainOf: (origin: string, host: string) => { id: number },
): Promise<NewRequest[]> {
  const scope = await loadScope(options);
  return options.seeds.flatMap((seed) => {
    const url = scope.normalize(seed);
    if (url === undefined || scope.refusal(url) !== undefined) return [];
    const { origin, host, path } = splitUrl(url);
    const { id } = domainOf(origin, host);
    return [{ domain: id, path, kind: 'page', depth: 0, parent: 1, hops: 0, via: null }];
  });
}
