import { basename, extname } from 'node:path';
import { createDistinctNames, fileKey, safeFileName } from '../../engine/files/safe-names.ts';
import { halfName } from '../split/half-name.ts';

/** Names of sources: the file name, or the path if several files have the same name. */
export function sourceNames(paths: readonly string[]): string[] {
  const seen = countKeys(paths.map((path) => basename(path)));
  return paths.map((path) => ((seen.get(fileKey(basename(path))) ?? 0) > 1 ? path : basename(path)));
}

/**
 * Names a page's results, without extension: `scan`, `scan.tif` if there is a `scan.png` too, `book-0012` for one page of
 * many, `box-letter.jpg` for a file in an archive. The same in every run. Undefined for pages of other sources.
 */
export function createResultNames(sources: readonly { id: string; name: string }[]) {
  const stems = countKeys(sources.map(({ name }) => stemOf(name)));
  const distinct = createDistinctNames();
  const names = new Map(
    sources.map(({ id, name }) => {
      const stem = stemOf(name);
      return [id, { name, shown: distinct((stems.get(fileKey(stem)) ?? 0) > 1 ? name : stem) }];
    }),
  );
  return (page: { source: string; name: string; part: number | null }): string | undefined => {
    const source = names.get(page.source);
    if (!source) return undefined;
    const side = (['left', 'right'] as const).find((each) => page.name === halfName(source.name, each));
    const inner = source.name === page.name ? '' : `-${side ?? page.name}`;
    const part = page.part === null ? '' : `-${String(page.part).padStart(4, '0')}`;
    return safeFileName(`${source.shown}${inner}${part}`);
  };
}

function stemOf(name: string): string {
  return name.slice(0, name.length - extname(name).length) || name;
}

function countKeys(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of names.map(fileKey)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
