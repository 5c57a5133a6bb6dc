import type { ExportedFunction } from './exported-functions.ts';
import type { PartOfSource } from './foreign-texts.ts';

const readsText =
  /^(?:parse|read|scan|split|match|decode|token|tokeni[sz]e|extract|strip|unescape|normali[sz]e|unpack|unfold|unquote|detect|guess|sniff|segment|clean|fold|words|lines|tokens|fields)(?![a-z])/;

/** Functions that look like readers of foreign text but stand in no list, and entries for functions that don't exist: one sentence each. */
export function unlisted(functions: readonly ExportedFunction[], parts: readonly PartOfSource[]): string[] {
  return parts.flatMap(({ part, foreignText }) => {
    const exported = functions.filter((one) => one.part === part).map(({ name }) => name);
    const readers = Object.keys(foreignText?.readers ?? {});
    const excused = Object.keys(foreignText?.excused ?? {});
    const known = new Set([...readers, ...excused]);
    return [
      ...exported
        .filter((name) => readsText.test(name.split(' ')[1] ?? '') && !known.has(name))
        .map((name) => `src/${part}/${name}: list or excuse it in src/${part}/testing/foreign-text.ts`),
      ...[...known]
        .filter((name) => !exported.includes(name))
        .map((name) => `src/${part}/testing/foreign-text.ts lists ${name}, which no file exports`),
      ...readers
        .filter((name) => excused.includes(name))
        .map((name) => `src/${part}/testing/foreign-text.ts lists and excuses ${name}`),
    ];
  });
}
