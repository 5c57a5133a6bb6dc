import { posix } from 'node:path';

/** A place in compiled code or in declarations that names a module: an import, or the file of a thread or process. */
export interface Named {
  specifier: string;
  /** `url` = `new URL('./thread.ts', import.meta.url)`, which the compiler leaves as it is. */
  kind: 'import' | 'url' | 'require';
}

const places = new RegExp(
  `(?<before>${[
    /^(?:import|export)\b[^'"`;]*?\bfrom\s*/,
    /^import\s+/,
    /\bimport(?:\.meta\.resolve)?\s*\(\s*/,
    /\bnew URL\(\s*/,
    /\brequire(?:\.resolve)?\(\s*/,
  ]
    .map(({ source }) => source)
    .join('|')})(?<quote>['"\`])(?<specifier>[^'"\`\\n]+)\\k<quote>`,
  'gm',
);

export function namedIn(code: string): Named[] {
  return [...code.matchAll(places)].map(({ groups }) => named(groups));
}

/** The code with each module of ours replaced by what `rename` gives for it. */
export function renameIn(code: string, rename: (one: Named) => string): string {
  return code.replaceAll(places, (...match) => {
    const groups = match.at(-1) as Record<string, string>;
    const one = named(groups);
    const renamed = isOwn(one.specifier) ? rename(one) : one.specifier;
    return `${groups.before}${groups.quote}${renamed}${groups.quote}`;
  });
}

function named(groups: Record<string, string> | undefined): Named {
  const { before = '', specifier = '' } = groups ?? {};
  const kind = before.startsWith('new') ? 'url' : before.startsWith('require') ? 'require' : 'import';
  return { specifier, kind };
}

/** Names a module of ours, and not another file (package.json) or a package. */
export function isOwn(specifier: string): boolean {
  return /^\.\.?\/.*\.[jt]s$/.test(specifier);
}

/** What a relative specifier in `file` means, as a path from the same root, without its extension. */
export function moduleOf(file: string, specifier: string): string {
  return withoutExtension(posix.join(posix.dirname(file), specifier));
}

export function withoutExtension(path: string): string {
  return path.replace(/(\.d)?\.[jt]s$/, '');
}
