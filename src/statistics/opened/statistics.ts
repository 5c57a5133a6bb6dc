import type { Engine } from '../../engine/composition/engine.ts';
import { type ProcessorParts, sectionOf, stateOf } from '../../engine/house.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { OnDemand } from '../../engine/time/on-demand.ts';
import { type ZoneDays, zoneDays } from '../calendar/zone-days.ts';
import { CubeReader } from '../cube/cube-reader.ts';
import { type StatisticsDatabase, statisticsDatabase } from '../database/tables.ts';
import { AttributeCache } from '../entities/attributes.ts';
import type { Schema } from '../schema/schema.ts';
import { createSchemas, loadSchemas, type Schemas } from '../schema/schemas.ts';
import { type StatisticsSettings, statisticsSection } from '../settings/settings.ts';
import { clickHouseRows } from '../store/clickhouse/rows.ts';
import { databaseStore } from '../store/database-store.ts';
import type { Limits } from '../store/limits.ts';
import type { StatisticsStore } from '../store/store.ts';
import { checkFoundations, fixFoundations, storedFoundations } from './foundations.ts';

/** What this house works with: the stored sums, the caches above them, and what the settings say. */
export interface Statistics {
  readonly schemas: Schemas;
  readonly days: ZoneDays;
  readonly clock: Clock;
  readonly database: StatisticsDatabase;
  readonly store: StatisticsStore;
  readonly reader: CubeReader;
  readonly attributes: AttributeCache;
  /** Stored before the first event is counted, once for all batches. */
  readonly foundations: OnDemand<void>;
  /** Time from the end of a day until it may be sealed. */
  readonly keptMs: number;
  readonly futureMs: number;
  /** For senders other than administrators. */
  readonly limits: Limits;
  /** Tells those who watch that sums have changed. */
  tellCounted(): void;
}

const hourMs = 3_600_000;

/** The statistics of an engine, with one cache for all callers. Opened on the first call: wrong settings must not stop the engine. */
export class StatisticsState {
  readonly opened: OnDemand<Statistics>;

  constructor({ changes, database, clock, settings }: ProcessorParts) {
    this.opened = new OnDemand(() =>
      openStatistics({
        database: statisticsDatabase({ database }),
        clock,
        settings: sectionOf(settings, statisticsSection),
        changes,
      }),
    );
  }

  close(): Promise<void> {
    return this.opened.close();
  }
}

export function statisticsOf(engine: Pick<Engine, 'states'>): Promise<Statistics> {
  return stateOf(engine, StatisticsState).opened.get();
}

/**
 * For the ingest stage, which every worker serves. A machine that only has workers needs neither the schema files nor the time zone
 * setting: both are in the database.
 */
export async function statisticsForStage(engine: ProcessorParts): Promise<Statistics> {
  const { changes, clock } = engine;
  const database = statisticsDatabase(engine);
  const own = sectionOf(engine.settings, statisticsSection);
  const stored = await storedFoundations(database);
  const schemas = newestOf([...loadSchemas(own.schemas).all, ...stored.schemas]);
  const timezone = stored.timezone ?? own.timezone;
  return openStatistics({ database, clock, settings: { ...own, timezone }, schemas, changes });
}

/** The highest version of each schema. A schema is left out if an earlier one in the list has one of its kinds. */
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
  /** Default: those that the settings name. */
  schemas?: Schemas;
  changes?: Engine['changes'];
}): Promise<Statistics> {
  const { database, clock, settings, changes } = options;
  const schemas = options.schemas ?? loadSchemas(settings.schemas);
  const days = zoneDays(settings.timezone);
  await checkFoundations(database, { schemas, days });
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
    foundations: new OnDemand(() => fixFoundations(database, { schemas, days })),
    keptMs: (36 + 24 * settings.lateDays) * hourMs,
    futureMs: settings.futureMinutes * 60_000,
    limits: { entities: settings.entities, eventsPerMonth: settings.eventsPerMonth },
    // For everyone, without names: readers ask for what they may see.
    tellCounted: () => changes?.addJoined({ kind: 'statistics', entity: '' }),
  };
}
