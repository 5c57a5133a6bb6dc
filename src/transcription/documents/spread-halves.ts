import type { Queries } from '../database/database.ts';
import type { Page } from '../page/page.ts';
import { shifted } from '../page/shift-page.ts';
import { halfName } from '../split/half-name.ts';

export type Side = 'left' | 'right';

/** Which half of a divided spread the page is; undefined if it is whole. */
export function sideOf(page: { name: string }, source: { name: string }): Side | undefined {
  return (['left', 'right'] as const).find((side) => page.name === halfName(source.name, side));
}

/** Widths of both halves of each divided spread, by page number in the source. Includes failed halves. */
export async function widthsOfHalves(
  queries: Queries,
  source: { id: string; name: string },
): Promise<Map<number, Record<Side, number>>> {
  const halves = await queries
    .selectFrom('transcription_page')
    .select(['name', 'part', 'width'])
    .where('source', '=', source.id)
    .where('name', 'in', [halfName(source.name, 'left'), halfName(source.name, 'right')])
    .execute();
  const widths = new Map<number, Record<Side, number>>();
  for (const { name, part, width } of halves) {
    const side = sideOf({ name }, source);
    if (!side || width === null) continue;
    const both = widths.get(part ?? 1) ?? { left: 0, right: 0 };
    widths.set(part ?? 1, { ...both, [side]: width });
  }
  return widths;
}

/** Moves the text of a half to its place in the whole spread. */
export function inSpread(page: Page, side: Side, widths: Record<Side, number>): Page {
  const by = side === 'left' ? 0 : widths.left;
  return { ...shifted(page, by), width: widths.left + widths.right };
}
