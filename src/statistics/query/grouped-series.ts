import { PismakError } from '../../engine/ground/errors.ts';
import { type DayRange, formatDay } from '../calendar/days.ts';
import { type Block, chunkSize } from '../columns/block.ts';
import { checkBounds } from '../columns/sum-blocks.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf } from '../cube/snapshot.ts';
import { planSeries } from '../plan/plan.ts';
import { findParents } from './parents.ts';
import { scansOver, selectEntities } from './select-entities.ts';
import type { SeriesPoint, SeriesQuestion, SplitSums } from './series.ts';
import type { TableSources } from './table.ts';

export interface GroupedSeries {
  groups: { key: string; name: string; points: SeriesPoint[] }[];
  entities: number;
}

export interface GroupedBy {
  groupBy: string;
  /** Of all groups together. */
  mostPoints: number;
}

/** Checked before anything is added up: there may be as many groups as entities. */
export function checkGroups(groups: number, points: number, { mostPoints }: GroupedBy): void {
  if (groups * points <= mostPoints) return;
  throw new PismakError(
    'too-large',
    `groupBy: ${groups} groups have more than ${mostPoints} points; ask for larger units or filter more`,
  );
}

/** A series for each parent of the entities that the filter keeps: keywords by their groups or campaigns. */
export async function readGroupedSeries(
  view: CubeView | undefined,
  question: SeriesQuestion & GroupedBy,
  sources: TableSources,
): Promise<GroupedSeries> {
  if (!view) return { groups: [], entities: 0 };
  const { kind, groupBy, range, granularity, splits, dimensions } = question;
  const selection = await selectEntities(view, question, sources.attributes);
  const parents = await findParents(view, { kind, groupBy, masks: selection.masks }, sources);
  const planned =
    granularity === 'none'
      ? [{ id: 'none', ...range, scans: scansOver(view, range) }]
      : planSeries(range, granularity, view.snapshot.cost);
  checkGroups(parents.rows.length, planned.length, question);
  const groups = parents.rows.map(({ key, attributes }) => ({
    key,
    name: attributes?.name ?? key,
    points: planned.map((point) => emptyPoint(point, splits, dimensions.length)),
  }));
  for (const [place, { scans }] of planned.entries()) {
    const readings = view.snapshot.resolve(scans);
    const blocks = await view.read(readings);
    const signed = readings.map(({ weight }, index) => ({ block: blocks[index] as Block, sign: weight }));
    checkBounds(signed, dimensions);
    for (const [index, { block, sign }] of signed.entries()) {
      const chunk = chunkOf(readings[index] as (typeof readings)[number]);
      const mask = selection.masks?.get(chunk);
      await view.turns.next();
      for (const split of splits)
        for (let row = block.splits[split] ?? 0; row < (block.splits[split + 1] ?? 0); row++) {
          const entity = block.entities[row] as number;
          if (selection.masks && mask?.[entity] !== 1) continue;
          const sums =
            groups[parents.rowOf[chunk * chunkSize + entity] as number]?.points[place]?.sums[split];
          if (!sums) continue;
          for (const [column, dimension] of dimensions.entries())
            sums[column] = (sums[column] ?? 0) + sign * (block.columns[dimension]?.[row] ?? 0);
        }
    }
  }
  return { groups, entities: selection.kept };
}

function emptyPoint(
  { id, from, to }: DayRange & { id: string },
  splits: readonly number[],
  dimensions: number,
): SeriesPoint {
  const sums: SplitSums = [];
  for (const split of splits) sums[split] = Array.from({ length: dimensions }, () => 0);
  return { id, start: formatDay(from), end: formatDay(to), sums };
}
