import { isOwn, moduleOf, namedIn } from './specifiers.ts';

/** Modules (paths without extension) that can be reached, and the packages of others that they name. */
export interface Reached {
  modules: ReadonlySet<string>;
  /** As written: `zod`, `zod/v4/core`, `@tesseract.js-data/${language}`. */
  foreign: ReadonlySet<string>;
}

/**
 * Follows imports from `entries`. Unreachable files (tests, samples, files with only types) stay out of a package
 * automatically. `stays` says which modules belong to it; imports of others are not followed.
 */
export function reachable(
  entries: readonly string[],
  read: (module: string) => string,
  stays: (module: string) => boolean = () => true,
): Reached {
  const modules = new Set<string>();
  const foreign = new Set<string>();
  const waiting = [...entries];
  for (let module = waiting.pop(); module !== undefined; module = waiting.pop()) {
    if (modules.has(module) || !stays(module)) continue;
    modules.add(module);
    for (const one of namedIn(read(module))) {
      if (isOwn(one.specifier)) waiting.push(moduleOf(module, one.specifier));
      else if (one.kind !== 'url' && !/^(node:|\.)/.test(one.specifier)) foreign.add(one.specifier);
    }
  }
  return { modules, foreign };
}
