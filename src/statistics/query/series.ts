import { type DayRange, formatDay, type Granularity, unitsWithin } from '../calendar/days.ts';
import type { Block } from '../columns/block.ts';
import { kernelsFor } from '../columns/kernels.ts';
import { checkBounds } from '../columns/sum-blocks.ts';
import { tooLarge } from '../columns/sum-table.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf, type Reading, splitByPlace } from '../cube/snapshot.ts';
import type { AttributeCache } from '../entities/attributes.ts';
import { type PlannedPoint, planSeries } from '../plan/plan.ts';
import type { UnitMeta, UnitSums } from '../store/store.ts';
import { type Question, type Selection, scansOver, selectEntities } from './select-entities.ts';

export interface SeriesQuestion extends Question {
  granularity: Exclude<Granularity, 'hour'>;
}

/** `sums[split][dimension]`, both by their numbers; splits that were not asked for are missing. */
export type SplitSums = (number[] | undefined)[];

export interface SeriesPoint {
  id: string;
  start: string;
  end: string;
  sums: SplitSums;
}

export interface Series {
  points: SeriesPoint[];
  /** How many entities the filter keeps. */
  entities: number;
}

/** The sums of the entities that the filter keeps, point by point. Units without events are there as zeros. */
export async function readSeries(
  view: CubeView | undefined,
  question: SeriesQuestion,
  attributes: AttributeCache,
): Promise<Series> {
  const { range, granularity } = question;
  if (!view?.snapshot.history) return { points: emptyPoints(question), entities: view?.head.entities ?? 0 };
  const selection = await selectEntities(view, question, attributes);
  const planned =
    granularity === 'none'
      ? [{ id: 'none', ...range, scans: scansOver(view, range) }]
      : planSeries(range, granularity, view.snapshot.cost);
  const points = await sumPoints(view, planned, question, selection);
  return { points, entities: selection.kept };
}

async function sumPoints(
  view: CubeView,
  planned: readonly PlannedPoint[],
  question: SeriesQuestion,
  selection: Selection,
): Promise<SeriesPoint[]> {
  const { dimensions } = question;
  const readings = planned.map(({ scans }) => splitByPlace(view.snapshot.resolve(scans)));
  const nearby = readings.flatMap(({ near }) => near);
  const units = [...new Set(readings.flatMap(({ far }) => far.map(({ unit }) => unit)))];
  const [blocks, ofUnits] = await Promise.all([
    view.read(nearby),
    view.far.byUnit(view.head.id, units, { dimensions, masks: selection.masks }),
  ]);
  checkBounds(
    nearby.map(({ weight }, index) => ({ block: blocks[index] as Block, sign: weight })),
    dimensions,
  );
  let at = 0;
  const points: SeriesPoint[] = [];
  for (const [index, { id, from, to }] of planned.entries()) {
    const sums: SplitSums = [];
    for (const split of question.splits) sums[split] = dimensions.map(() => 0);
    for (const reading of readings[index]?.near ?? []) {
      const block = blocks[at++] as Block;
      addBlock(sums, block, reading, question, selection);
    }
    for (const one of readings[index]?.far ?? []) addUnit(sums, one, ofUnits);
    points.push({ id, start: formatDay(from), end: formatDay(to), sums });
    await view.turns.next();
  }
  return points;
}

/** Adds sums from the store. Refuses an intermediate sum that could have been rounded. */
function addUnit(
  sums: SplitSums,
  { unit, weight }: { unit: UnitMeta; weight: number },
  ofUnits: ReadonlyMap<UnitMeta, UnitSums>,
): void {
  for (const [split, added] of (ofUnits.get(unit) ?? []).entries()) {
    const ofSplit = sums[split];
    if (!ofSplit || !added) continue;
    for (const [place, value] of added.entries()) {
      const sum = (ofSplit[place] ?? 0) + weight * value;
      if (!Number.isSafeInteger(sum)) throw tooLarge();
      ofSplit[place] = sum;
    }
  }
}

function addBlock(
  sums: SplitSums,
  block: Block,
  reading: Reading,
  { splits, dimensions }: Question,
  { masks }: Selection,
): void {
  const mask = masks?.get(chunkOf(reading));
  if (masks && !mask) return;
  for (const split of splits) {
    const from = block.splits[split] ?? 0;
    const to = block.splits[split + 1] ?? 0;
    const ofSplit = sums[split];
    if (from >= to || !ofSplit) continue;
    const kept = mask ? keptRows(block.entities, mask, from, to) : 0;
    for (const [place, dimension] of dimensions.entries()) {
      const column = block.columns[dimension];
      if (!column) continue;
      const kernels = kernelsFor(column);
      const sum = mask ? kernels.sumListed(column, keptList, kept) : kernels.sumRange(column, from, to);
      ofSplit[place] = (ofSplit[place] ?? 0) + reading.weight * sum;
    }
  }
}

/** Scratch list of rows that a filter keeps, filled once for all dimensions. Never used across an `await`, so all callers share it. */
let keptList = new Int32Array(65_536);

/**
 * Lists the kept rows and returns their number. It writes each row and moves on only if it is kept: a filter that keeps a third at
 * random would mislead the branch predictor.
 */
function keptRows(entities: Uint16Array, mask: Uint8Array, from: number, to: number): number {
  if (keptList.length < to - from) keptList = new Int32Array(2 * (to - from));
  const list = keptList;
  let count = 0;
  for (let row = from; row < to; row++) {
    list[count] = row;
    count += mask[entities[row] as number] as number;
  }
  return count;
}

function emptyPoints({ range, granularity, splits, dimensions }: SeriesQuestion): SeriesPoint[] {
  const units: (DayRange & { id: string })[] =
    granularity === 'none' ? [{ id: 'none', ...range }] : unitsWithin(granularity, range);
  return units.map(({ id, from, to }) => {
    const sums: SplitSums = [];
    for (const split of splits) sums[split] = dimensions.map(() => 0);
    return { id, start: formatDay(from), end: formatDay(to), sums };
  });
}
