import type { Page } from '../page/page.ts';
import { tableRows } from '../text/text.ts';

/** The tables of a page, cells separated by tabs, with an empty line between tables; empty if there is none. */
export function toTsv(page: Page): string {
  const tables = page.regions.flatMap((region) => {
    const rows = tableRows(region);
    return rows ? [rows.map((cells) => `${cells.join('\t')}\n`).join('')] : [];
  });
  return tables.join('\n');
}
