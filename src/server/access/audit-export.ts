import type { Database } from '../../engine/database/database.ts';
import { csvRecord, notFormula } from '../../formats/csv/write-csv.ts';

export interface AuditFilter {
  operation?: string | undefined;
  actor?: string | undefined;
  owner?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

/** The query for entries that match. */
export function auditQuery({ query }: Database, { operation, actor, owner, from, to }: AuditFilter) {
  let entries = query.selectFrom('audit').selectAll();
  if (operation !== undefined) entries = entries.where('operation', '=', operation);
  if (owner !== undefined) entries = entries.where('owner', '=', owner);
  if (from !== undefined) entries = entries.where('at', '>=', from);
  if (to !== undefined) entries = entries.where('at', '<', to);
  if (actor === undefined) return entries;
  const keyOf = `${actor} (key:`;
  return entries.where(({ eb, fn, or }) => {
    const beginning = fn('substr', ['actor', eb.val(1), eb.val(keyOf.length)]);
    return or([eb('actor', '=', actor), eb(beginning, '=', keyOf)]);
  });
}

type Row = Awaited<ReturnType<ReturnType<typeof auditQuery>['execute']>>[number];

export function toEntry({ inputJson, ...row }: Row) {
  return { ...row, input: JSON.parse(inputJson) as unknown };
}

const pageSize = 500;

/** The entries from oldest to newest, read page by page, so that a long history needs little memory. */
export async function* exportAudit(
  database: Database,
  filter: AuditFilter,
  format: 'ndjson' | 'csv',
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  if (format === 'csv') yield Buffer.from(`${columns.join(',')}\r\n`);
  let last: { at: number; id: string } | undefined;
  while (true) {
    signal.throwIfAborted();
    let page = auditQuery(database, filter).orderBy('at').orderBy('id').limit(pageSize);
    if (last) {
      const { at, id } = last;
      page = page
        .where('at', '>=', at)
        .where(({ eb, and, or }) => or([eb('at', '>', at), and([eb('at', '=', at), eb('id', '>', id)])]));
    }
    const rows = await page.execute();
    const lines = rows.map(format === 'csv' ? toCsv : (row) => `${JSON.stringify(toEntry(row))}\n`);
    if (rows.length > 0) yield Buffer.from(lines.join(''));
    last = rows.at(-1);
    if (rows.length < pageSize) return;
  }
}

const columns = ['at', 'actor', 'operation', 'outcome', 'address', 'owner', 'count', 'lastAt', 'input', 'id'];

function toCsv(row: Row): string {
  const { actor, operation, outcome, address, owner, count, inputJson, id } = row;
  const lastAt = row.lastAt === null ? '' : new Date(row.lastAt).toISOString();
  const at = new Date(row.at).toISOString();
  const cells = [at, actor, operation, outcome, address, owner ?? '', String(count), lastAt, inputJson, id];
  // Some values are user input, which a spreadsheet must not run as a formula.
  return `${csvRecord(cells.map(notFormula))}\r\n`;
}
