import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Settings } from '../settings/settings.ts';
import type { Clock } from '../time/clock.ts';
import { TraceBuilder } from './build-trace.ts';
import { packEvents, unpackEvents } from './event-columns.ts';
import type { Trace } from './trace.ts';
import type { TracePeriod } from './trace-period.ts';

const dayMs = 24 * 60 * 60 * 1000;
const pageRows = 200;
/** Larger results are refused: reading them would block everyone else. */
const mostBytes = 48_000_000;

export async function writePeriod(
  { database, clock }: { database: Database; clock: Clock },
  { since, until, whole, events }: TracePeriod,
): Promise<void> {
  const eventsJson = packEvents(events, since);
  const row = { since, until, whole: whole ? 1 : 0, size: Buffer.byteLength(eventsJson), eventsJson };
  await database.query
    .insertInto('trace')
    .values({ id: newId(clock), ...row })
    .execute();
}

/** Deletes periods that are too old, and then the oldest until the rest is small enough. */
export async function pruneTrace(
  database: Database,
  { keepDays, maxMb }: Settings['trace'],
  now: number,
): Promise<void> {
  // A row takes more than its JSON: its numbers, its id twice, its entries in two indexes.
  const sums = await sql<{ until: number }>`
    SELECT "until" FROM (
      SELECT "until", SUM("size" + 200) OVER (ORDER BY "until" DESC, "size" DESC) AS "total" FROM "trace"
    ) AS "sums" WHERE "total" > ${Math.round(maxMb * 1e6)} ORDER BY "until" DESC LIMIT 1`.execute(
    database.query,
  );
  const tooMuch = Number(sums.rows[0]?.until ?? Number.NEGATIVE_INFINITY);
  const bound = Math.max(now - keepDays * dayMs, tooMuch + 1);
  await database.query.deleteFrom('trace').where('until', '<', Math.round(bound)).execute();
}

/** What happened from one time to another. */
export async function readTrace(database: Database, range: { from: number; to: number }): Promise<Trace> {
  const { from, to } = range;
  if (!(from < to)) throw new PismakError('invalid-input', 'a trace must end after it starts');
  // The last whole period before `from` has the state at `from`.
  const start = await database.query
    .selectFrom('trace')
    .select('since')
    .where('whole', '=', 1)
    .where('since', '<=', from)
    .orderBy('since', 'desc')
    .limit(1)
    .executeTakeFirst();
  const rows = database.query
    .selectFrom('trace')
    .where('until', '>=', start?.since ?? from)
    .where('since', '<', to);
  const { bytes } = await rows.select(({ fn }) => fn.sum('size').as('bytes')).executeTakeFirstOrThrow();
  if (Number(bytes ?? 0) > mostBytes)
    throw new PismakError('invalid-input', 'too much happened in that time; ask for a shorter one');

  const builder = new TraceBuilder(range);
  let last = { until: -1, id: '' };
  for (;;) {
    // In pages, so that others get their turn in between.
    const page = await rows
      .select(['id', 'since', 'until', 'whole', 'eventsJson'])
      .where(({ or, and, eb }) =>
        or([eb('until', '>', last.until), and([eb('until', '=', last.until), eb('id', '>', last.id)])]),
      )
      .orderBy('until')
      .orderBy('id')
      .limit(pageRows)
      .execute();
    for (const { since, until, whole, eventsJson } of page) {
      builder.add({ since, until, whole: whole === 1, events: unpackEvents(eventsJson, since) });
    }
    const end = page.at(-1);
    if (!end) return builder.finish();
    last = end;
  }
}
