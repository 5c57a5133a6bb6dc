import { isHouse, isTest, partOf, type Sources } from './import-rules.ts';

const tablesFile = 'src/engine/database/tables.ts';
/** Methods of Kysely whose first parameter is a table, or a list of them. */
const takesTables =
  /\b(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|replaceInto|\w+Join|using)\(\s*(\[[^\]]*\]|['"`][^'"`]*['"`])/g;
const rawSql = /\bsql(?:<[^`]*>)?`([^`]*)`/g;
const rawTable = /\b(?:FROM|JOIN|INTO|UPDATE|TABLE)\s+"?(\w+)|"(\w+)"\s*\./gi;
const rawReference = /\bsql\.(?:table|ref|id)\(\s*['"`](\w+)/g;

/** The engine's own tables, as its source lists them. */
export function engineTables(sources: Sources): Set<string> {
  const [, body = ''] =
    /^export interface EngineTables\b[^{]*\{\n(.*?)^\}/ms.exec(sources.get(tablesFile) ?? '') ?? [];
  return new Set([...body.matchAll(/^ {2}(\w+): /gm)].map((match) => match[1] ?? ''));
}

/**
 * Every place where a house reads or writes a table of the engine, one sentence each. Use (or add) a function of the module
 * that owns the table; if it takes `Queries`, it runs in the house's transaction.
 */
export function foreignTables(sources: Sources): string[] {
  const tables = engineTables(sources);
  return [...sources].flatMap(([file, source]) => {
    if (isTest(file) || !isHouse(partOf(file))) return [];
    return tablesNamedIn(source)
      .filter((table) => tables.has(table))
      .map((table) => `${file}: the table ${table} is the engine's; call the module that owns it`);
  });
}

function tablesNamedIn(source: string): string[] {
  const built = [...source.matchAll(takesTables)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(/['"`](\w+)/g)].map((name) => name[1] ?? ''),
  );
  const raw = [...source.matchAll(rawSql)].flatMap((match) =>
    [...(match[1] ?? '').matchAll(rawTable)].map((name) => name[1] ?? name[2] ?? ''),
  );
  const references = [...source.matchAll(rawReference)].map((match) => match[1] ?? '');
  return [...built, ...raw, ...references];
}
