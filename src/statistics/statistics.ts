import type { Engine } from '../engine/engine.ts';
import { PismakError } from '../engine/errors.ts';
import { sectionOf } from '../engine/house.ts';
import type { Clock } from '../engine/time/clock.ts';
import { type ZoneDays, zoneDays } from './calendar/zone-days.ts';
import { CubeReader } from './cube/cube-reader.ts';
import { AttributeCache } from './entities/attributes.ts';
import { incompatibility, type Schema, schemaFile } from './schema/schema.ts';
import { createSchemas, loadSchemas, type Schemas } from './schema/schemas.ts';
import { type StatisticsSettings, statisticsSection } from './settings.ts';
import { clickHouseRows } from './store/clickhouse/rows.ts';
import { databaseStore } from './store/database-store.ts';
import type { Limits } from './store/limits.ts';
import type { StatisticsStore } from './store/store.ts';
import { type StatisticsDatabase, statisticsDatabase } from './tables.ts';

/** What everything of this house works with. */
export interface Statistics {
  readonly schemas: Schemas;
  readonly days: ZoneDays;
  readonly clock: Clock;
  readonly database: StatisticsDatabase;
  readonly store: StatisticsStore;
  readonly reader: CubeReader;
  readonly attributes: AttributeCache;
  /** Time from the end of a day until it may be sealed. */
  readonly keptMs: number;
  readonly futureMs: number;
  /** Of senders who are no administrators. */
  readonly limits: Limits;
}

const opened = new WeakMap<object, Promise<Statistics>>();
const hourMs = 3_600_000;

/** The statistics of an engine, with one cache for all who ask. */
export function statisticsOf(engine: Pick<Engine, 'database' | 'clock' | 'settings'>): Promise<Statistics> {
  const known = opened.get(engine.database);
  if (known) return known;
  const settings = sectionOf(engine.settings, statisticsSection);
  const database = statisticsDatabase(engine);
  const opening = openStatistics({ database, clock: engine.clock, settings });
  opened.set(engine.database, opening);
  opening.catch(() => opened.delete(engine.database));
  return opening;
}

/**
 * For a stage, which every worker serves: a machine that has workers only need not have the files of the schemas nor the setting of
 * the time zone. What the installation counts with is in the database.
 */
export async function statisticsForStage(
  engine: Pick<Engine, 'database' | 'clock' | 'settings'>,
): Promise<Statistics> {
  const { clock } = engine;
  const database = statisticsDatabase(engine);
  const own = sectionOf(engine.settings, statisticsSection);
  const rows = await database.query.selectFrom('statistics_fixed').selectAll().execute();
  const stored = rows
    .filter(({ name }) => name.startsWith('schema:'))
    .map(({ value }) => schemaFile.parse(JSON.parse(value)));
  const timezone = rows.find(({ name }) => name === 'timezone')?.value ?? own.timezone;
  const schemas = newestOf([...loadSchemas(own.schemas).all, ...stored]);
  return openStatistics({ database, clock, settings: { ...own, timezone }, schemas });
}

/** By name, those of the highest version. One whose kinds another one has by now is left out. */
function newestOf(all: readonly Schema[]): Schemas {
  const newest = new Map<string, Schema>();
  for (const schema of all)
    if (schema.version > (newest.get(schema.name)?.version ?? -1)) newest.set(schema.name, schema);
  const kinds = new Set<string>();
  const kept = [...newest.values()].filter((schema) => {
    const own = Object.keys(schema.kinds);
    if (own.some((kind) => kinds.has(kind))) return false;
    for (const kind of own) kinds.add(kind);
    return true;
  });
  return createSchemas(kept);
}

export async function openStatistics(options: {
  database: StatisticsDatabase;
  clock: Clock;
  settings: Omit<StatisticsSettings, 'own'>;
  /** Instead of those that the settings name. */
  schemas?: Schemas;
}): Promise<Statistics> {
  const { database, clock, settings } = options;
  const schemas = options.schemas ?? loadSchemas(settings.schemas);
  const days = zoneDays(settings.timezone);
  await checkFixed(database, schemas, days);
  const rows = settings.store === '' ? undefined : clickHouseRows(settings.store);
  const store = databaseStore({ database, clock, rows });
  return {
    schemas,
    days,
    clock,
    database,
    store,
    reader: new CubeReader(store, settings.cacheMb * 2 ** 20),
    attributes: new AttributeCache(database.query),
    keptMs: (36 + 24 * settings.lateDays) * hourMs,
    futureMs: settings.futureMinutes * 60_000,
    limits: { entities: settings.entities, eventsPerMonth: settings.eventsPerMonth },
  };
}

/** What was counted in one time zone, or by one list of dimensions, can't be read as if it were another. */
async function checkFixed(database: StatisticsDatabase, schemas: Schemas, days: ZoneDays): Promise<void> {
  const rows = await database.query.selectFrom('statistics_fixed').selectAll().execute();
  for (const { name, value } of rows) {
    if (name === 'timezone' && value !== days.timeZone)
      throw new PismakError(
        'configuration-invalid',
        `everything so far was counted in days of ${value}, so statistics.timezone can't become ${days.timeZone}`,
      );
    if (!name.startsWith('schema:')) continue;
    const before = schemaFile.parse(JSON.parse(value));
    const now = schemas.all.find((schema) => schema.name === before.name);
    if (!now) continue;
    const problem = incompatibility(before, now);
    if (problem !== undefined)
      throw new PismakError('configuration-invalid', `schema ${now.name}: ${problem}`);
  }
}

/** Tells workers elsewhere which schemas this process has, once anything is counted. */
export async function renewFoundations(statistics: Statistics): Promise<void> {
  const { database } = statistics;
  if (await database.query.selectFrom('statistics_fixed').select('name').executeTakeFirst())
    await fixFoundations(statistics);
}

/** From the first event on, the time zone and the order of dimensions stay. */
export async function fixFoundations({ database, schemas, days }: Statistics): Promise<void> {
  const rows = [
    { name: 'timezone', value: days.timeZone },
    ...schemas.all.map((schema) => ({ name: `schema:${schema.name}`, value: JSON.stringify(schema) })),
  ];
  const before = await database.query.selectFrom('statistics_fixed').selectAll().execute();
  const known = new Map(before.map(({ name, value }) => [name, value]));
  const changed = rows.filter(({ name, value }) => known.get(name) !== value);
  for (const row of changed)
    await database.query
      .insertInto('statistics_fixed')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value }))
      .execute();
}
