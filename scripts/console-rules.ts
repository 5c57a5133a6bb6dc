import { posix } from 'node:path';

const list = 'web/src/houses.ts';

/**
 * What breaks the rules of the console, one sentence each. Parts (folders with a `house.ts`) don't import each other, so that each can be
 * packed and left out alone; the shell sees them through `web/src/houses.ts` only, and of each only its `house.ts`. `sources` are
 * the files of web/src, `.svelte` among them.
 */
export function brokenConsoleRules(sources: ReadonlyMap<string, string>): string[] {
  const parts = [...sources.keys()].flatMap((file) => /^web\/src\/([^/]+)\/house\.ts$/.exec(file)?.[1] ?? []);
  const partOf = (file: string) => parts.find((part) => file.startsWith(`web/src/${part}/`));
  return [...sources].flatMap(([file, source]) =>
    importsOf(file, source).flatMap((target) => {
      const isOwn = target.startsWith('web/src/');
      if (!isOwn && /^(\.|\/|src\/|web\/|scripts\/)/.test(target))
        return [`${file}: imports ${target}, but the console is built from web/src alone`];
      const [from, to] = [partOf(file), partOf(target)];
      if (to === undefined || from === to) return [];
      if (file === list && target === `web/src/${to}/house.ts`) return [];
      return [`${file}: imports ${target}, but ${to} is known to ${list} only`];
    }),
  );
}

/** In `.svelte` files imports are indented. */
function importsOf(file: string, source: string): string[] {
  const found = [
    ...source.matchAll(/^\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]/gm),
    ...source.matchAll(/^\s*import\s*['"]([^'"]+)['"]/gm),
    ...source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g),
  ];
  return found
    .map((match) => match[1] ?? '')
    .map((target) => (target.startsWith('.') ? posix.join(posix.dirname(file), target) : target));
}
