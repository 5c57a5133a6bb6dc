import { PismakError } from '../../engine/ground/errors.ts';
import { type Day, formatDay, unitId } from '../calendar/days.ts';
import { slotMs, wholeDay, type ZoneDays } from '../calendar/zone-days.ts';
import { type Block, chunkSize } from '../columns/block.ts';
import { checkBounds } from '../columns/sum-blocks.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf } from '../cube/snapshot.ts';
import type { AttributeCache } from '../entities/attributes.ts';
import { checkGroups, type GroupedBy, type GroupedSeries } from './grouped-series.ts';
import { findParents } from './parents.ts';
import { type Question, type Selection, selectEntities } from './select-entities.ts';
import type { Series, SeriesPoint, SplitSums } from './series.ts';
import type { TableSources } from './table.ts';

const slotsPerHour = 2;

/**
 * A series by hours, as long as half hours are kept. The identifier of a point is the day and the index of the hour, so an hour that a
 * clock change repeats has its own.
 */
export async function readHours(
  view: CubeView | undefined,
  question: Question,
  parts: { attributes: AttributeCache; days: ZoneDays },
): Promise<Series> {
  const { range } = question;
  const selection = view ? await selectEntities(view, question, parts.attributes) : undefined;
  const points: SeriesPoint[] = [];
  for (let day = range.from; day <= range.to; day++) {
    const hours = emptyHours(question, parts.days, day);
    if (view && selection) await addDay(() => hours, view, question, selection, day);
    points.push(...hours);
    await view?.turns.next();
  }
  return { points, entities: selection?.kept ?? 0 };
}

/** The same for each parent of the entities that the filter keeps. */
export async function readGroupedHours(
  view: CubeView | undefined,
  question: Question & GroupedBy,
  { days, ...sources }: TableSources & { days: ZoneDays },
): Promise<GroupedSeries> {
  if (!view) return { groups: [], entities: 0 };
  const { kind, groupBy, range } = question;
  const selection = await selectEntities(view, question, sources.attributes);
  const parents = await findParents(view, { kind, groupBy, masks: selection.masks }, sources);
  checkGroups(parents.rows.length, 24 * (range.to - range.from + 1), question);
  const groups = parents.rows.map(({ key, attributes }) => ({
    key,
    name: attributes?.name ?? key,
    points: [] as SeriesPoint[],
  }));
  for (let day = range.from; day <= range.to; day++) {
    const hours = groups.map(() => emptyHours(question, days, day));
    await addDay((ordinal) => hours[parents.rowOf[ordinal] as number], view, question, selection, day);
    for (const [index, { points }] of groups.entries()) points.push(...(hours[index] ?? []));
    await view.turns.next();
  }
  return { groups, entities: selection.kept };
}

function emptyHours({ splits, dimensions }: Question, days: ZoneDays, day: Day): SeriesPoint[] {
  const start = days.start(day);
  const end = days.start(day + 1);
  const points: SeriesPoint[] = [];
  for (let at = start; at < end; at += slotsPerHour * slotMs) {
    const sums: SplitSums = [];
    for (const split of splits) sums[split] = dimensions.map(() => 0);
    points.push({
      id: `${unitId('day', day)}${String(points.length).padStart(2, '0')}`,
      start: new Date(at).toISOString(),
      end: new Date(Math.min(at + slotsPerHour * slotMs, end)).toISOString(),
      sums,
    });
  }
  return points;
}

/** The hours of the entity with this number. */
type HoursOf = (ordinal: number) => readonly SeriesPoint[] | undefined;

async function addDay(
  hoursOf: HoursOf,
  view: CubeView,
  question: Question,
  { masks }: Selection,
  day: Day,
): Promise<void> {
  const { snapshot } = view;
  if (snapshot.unitsAt('day', day).some((unit) => unit.sealed)) throw noHours(day, 'are no longer kept');
  const readings = [
    ...snapshot.unitsAt('slot', day).map((unit) => ({ source: { unit }, weight: 1 })),
    ...snapshot.newer('slot', day).map((segment) => ({ source: { segment }, weight: 1 })),
  ];
  const blocks = await view.read(readings);
  checkBounds(
    blocks.map((block) => ({ block, sign: 1 })),
    question.dimensions,
  );
  for (const [index, block] of blocks.entries()) {
    const chunk = chunkOf(readings[index] as (typeof readings)[number]);
    const mask = masks?.get(chunk);
    if (!masks || mask) addBlock((entity) => hoursOf(chunk * chunkSize + entity), block, question, mask, day);
  }
}

function addBlock(
  hoursOf: HoursOf,
  block: Block,
  { splits, dimensions }: Question,
  mask: Uint8Array | undefined,
  day: Day,
): void {
  for (const split of splits)
    for (let row = block.splits[split] ?? 0; row < (block.splits[split + 1] ?? 0); row++) {
      const entity = block.entities[row] as number;
      if (mask && mask[entity] !== 1) continue;
      const slot = block.slots?.[row] ?? wholeDay;
      if (slot === wholeDay) throw noHours(day, 'are unknown: it was loaded as daily sums');
      const sums = hoursOf(entity)?.[Math.floor(slot / slotsPerHour)]?.sums[split];
      if (!sums) continue;
      for (const [place, dimension] of dimensions.entries())
        sums[place] = (sums[place] ?? 0) + (block.columns[dimension]?.[row] ?? 0);
    }
}

function noHours(day: Day, why: string): PismakError {
  return new PismakError('conflict', `granularity: the hours of ${formatDay(day)} ${why}; ask for days`);
}
