import { PismakError } from '../../engine/ground/errors.ts';
import { type Day, formatDay, unitOf } from '../calendar/days.ts';
import { wholeDay } from '../calendar/zone-days.ts';
import type { Block } from '../columns/block.ts';
import { SumTable } from '../columns/sum-table.ts';
import type { CubeView } from '../cube/cube-reader.ts';
import { chunkOf } from '../cube/snapshot.ts';
import type { Statistics } from '../opened/statistics.ts';
import type { Kind } from '../schema/schemas.ts';
import { listClosedMonths, monthIsClosed } from '../store/closed-months.ts';
import type { PreparedCube } from '../store/store.ts';
import { BatchBuilder, type BatchRules } from './batch-builder.ts';
import type { Batch } from './ingest.ts';
import { addContent } from './lines.ts';

export interface Backfill {
  kind: Kind;
  user: string;
  day: Day;
  level: BatchRules['level'];
  content: Batch['content'];
  limits?: Batch['limits'];
}

const mostTries = 20;

/**
 * Replaces everything counted for a day with the given events, however old the day is. It writes the difference as a segment like any
 * other, so weeks, months and totals pick it up like late events.
 */
export async function backfill(statistics: Statistics, request: Backfill): Promise<{ events: number }> {
  const { store, reader, clock, database } = statistics;
  const { kind, user, day } = request;
  if ((await listClosedMonths(database.query)).has(unitOf('month', day).from)) throw monthIsClosed(day);
  await statistics.foundations.get();
  const { events, cube } = await wantedDay(statistics, request);
  for (let tries = 0; tries < mostTries; tries++) {
    const done = await reader.view(kind.name, user, async (view) => {
      const sealed = view?.snapshot.unitsAt('day', day).some((unit) => unit.sealed) ?? false;
      const current = view ? await currentBlocks(view, day) : new Map<number, Block[]>();
      const keys = cube?.keys ?? [];
      const wanted = cube?.days[0];
      const blocks = (ordinals: readonly number[]) => {
        const byChunk = wanted?.blocks(ordinals) ?? [];
        return difference(kind, new Map(byChunk.map(({ chunk, block }) => [chunk, block])), current, sealed);
      };
      const change = { day, events, mayBeSealed: false, blocks };
      const seq = view?.head.seq ?? 0;
      return store.correctDay({
        kind: kind.name,
        user,
        seq,
        keys,
        day: change,
        receivedAt: clock.now(),
        limits: request.limits,
      });
    });
    if (!done) continue;
    statistics.tellCounted();
    return { events };
  }
  throw new PismakError('unavailable', 'new events of this user keep arriving; try again');
}

/** Adds up the given events. All must be valid and belong to the day, or the whole day would be wrong. */
async function wantedDay(
  { schemas, days, clock, futureMs }: Statistics,
  { kind, user, day, level, content }: Backfill,
): Promise<{ events: number; cube: PreparedCube | undefined }> {
  const builder = new BatchBuilder({
    schemas,
    days,
    level,
    closed: new Set<Day>(),
    latest: clock.now() + futureMs,
    sealedBefore: Number.NEGATIVE_INFINITY,
    sealed: () => false,
    mayWrite: () => true,
  });
  await addContent(builder, content);
  const [refusal] = builder.refusals;
  if (refusal)
    throw new PismakError(
      'invalid-input',
      `event ${refusal.index + 1}: ${refusal.reason}; a day is replaced only if all its events are good`,
    );
  const cubes = builder.cubes();
  const foreign = cubes.find((cube) => cube.kind !== kind.name || cube.user !== user);
  if (foreign)
    throw new PismakError(
      'invalid-input',
      `the events are of ${foreign.kind} of ${foreign.user} as well; only ${kind.name} of ${user} is replaced`,
    );
  const other = cubes[0]?.days.find((one) => one.day !== day);
  if (other)
    throw new PismakError(
      'invalid-input',
      `there are events of ${formatDay(other.day)}; only ${formatDay(day)} is replaced`,
    );
  return { events: builder.events, cube: cubes[0] };
}

/** What is counted for the day now, by half hours if they are kept. */
async function currentBlocks(view: CubeView, day: Day): Promise<Map<number, Block[]>> {
  const { snapshot } = view;
  const chunks = new Set(
    [...snapshot.unitsAt('day', day), ...snapshot.unitsAt('slot', day), ...snapshot.segmentsOf(day)].map(
      ({ chunk }) => chunk,
    ),
  );
  const found = new Map<number, Block[]>();
  for (const chunk of chunks) {
    const level = snapshot.unitAt('day', day, chunk)?.sealed ? 'day' : 'slot';
    const unit = snapshot.unitAt(level, day, chunk);
    const readings = [
      ...(unit ? [{ source: { unit }, weight: 1 }] : []),
      ...snapshot.newer(level, day).map((segment) => ({ source: { segment }, weight: 1 })),
    ].filter((reading) => chunkOf(reading) === chunk);
    found.set(chunk, await view.read(readings));
  }
  return found;
}

/** Wanted minus current, chunk by chunk. Where half hours are gone, the whole day is one slot. */
function difference(
  { schema }: Kind,
  wanted: ReadonlyMap<number, Block>,
  current: ReadonlyMap<number, readonly Block[]>,
  sealed: boolean,
): { chunk: number; block: Block }[] {
  const chunks = new Set([...wanted.keys(), ...current.keys()]);
  return [...chunks].flatMap((chunk) => {
    const table = new SumTable(schema.dimensions.length);
    const add = (block: Block | undefined, sign: 1 | -1) =>
      block && table.addBlock(sealed ? inOneSlot(block) : block, sign);
    add(wanted.get(chunk), 1);
    for (const block of current.get(chunk) ?? []) add(block, -1);
    const block = table.toBlock({ splits: schema.split.values.length, slots: true });
    return block.rows > 0 ? [{ chunk, block }] : [];
  });
}

function inOneSlot(block: Block): Block {
  return { ...block, slots: new Uint8Array(block.rows).fill(wholeDay) };
}
