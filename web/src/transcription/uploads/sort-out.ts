/** A file that somebody dropped or chose. `path` begins with the folder that was dropped, if it was one. */
export interface Chosen {
  file: File;
  path: string;
}

export type Refusal = 'kind' | 'empty' | 'name';

export interface SortedOut {
  taken: Chosen[];
  refused: { path: string; why: Refusal }[];
}

/** What the server reads. It looks at the content; without an extension the file is worth a try. */
const readable = new Set('png jpg jpeg jpe tif tiff webp jp2 j2k jpf jpx jpc pdf zip'.split(' '));
const longestName = 500;

/** Left out without a word: what operating systems put into folders. */
const systemFile = /^(\..*|thumbs\.db|desktop\.ini)$/i;
const order = new Intl.Collator('en', { numeric: true });

/** Parts what can be read from what can't, in the order of the names: page2 before page10. */
export function sortOut(chosen: readonly Chosen[]): SortedOut {
  const taken: Chosen[] = [];
  const refused: SortedOut['refused'] = [];
  for (const one of chosen) {
    const parts = one.path.split('/');
    if (parts.some((part) => systemFile.test(part) || part === '__MACOSX')) continue;
    const why = refusalOf(one);
    if (why === undefined) taken.push(one);
    else refused.push({ path: one.path, why });
  }
  taken.sort((a, b) => order.compare(a.path, b.path));
  return { taken, refused };
}

function refusalOf({ file, path }: Chosen): Refusal | undefined {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase();
  if (extension !== undefined && !readable.has(extension)) return 'kind';
  if (path.length > longestName || path.includes('\0') || !path.isWellFormed()) return 'name';
  return file.size === 0 ? 'empty' : undefined;
}

/** The name of each source: the file's, or its path where several files have the same name. */
export function sourceNames(taken: readonly Chosen[]): string[] {
  const counts = new Map<string, number>();
  const base = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  for (const { path } of taken) {
    const key = base(path).toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return taken.map(({ path }) => ((counts.get(base(path).toLowerCase()) ?? 0) > 1 ? path : base(path)));
}

/** The folder that all files come from, or the only file without its extension. */
export function suggestedName(taken: readonly Chosen[]): string | undefined {
  const [first] = taken;
  if (!first) return undefined;
  const folder = first.path.includes('/') ? first.path.slice(0, first.path.indexOf('/')) : undefined;
  if (folder !== undefined && taken.every(({ path }) => path.startsWith(`${folder}/`))) return folder;
  if (taken.length > 1) return undefined;
  return first.file.name.replace(/(?<=.)\.[^.]+$/, '');
}

/** One document for each folder, and one for each file that is in none. */
export function byFolder(taken: readonly Chosen[]): { name: string; taken: Chosen[] }[] {
  const groups = new Map<string, Chosen[]>();
  for (const one of taken) {
    const key = one.path.includes('/') ? one.path.slice(0, one.path.lastIndexOf('/')) : one.path;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => ({
    name:
      group[0]?.path.includes('/') && group[0].path.split('/').at(-2) !== undefined
        ? (group[0].path.split('/').at(-2) ?? '')
        : (suggestedName(group) ?? ''),
    taken: group,
  }));
}

/** The same file, chosen again. */
export const keyOf = ({ file, path }: Chosen) => `${path}|${file.size}|${file.lastModified}`;
