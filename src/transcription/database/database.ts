import type { Engine as BareEngine } from '../../engine/composition/engine.ts';
import type { Database as EngineDatabase, Queries as EngineQueries } from '../../engine/database/database.ts';
import type { TranscriptionTables } from './tables.ts';

/** The engine's database with this house's tables. */
export type Database = EngineDatabase<TranscriptionTables>;
export type Queries = EngineQueries<TranscriptionTables>;
export type Engine = Omit<BareEngine, 'database'> & { readonly database: Database };

export function documentQueries({ database }: { database: EngineDatabase }): Queries {
  return database.withTables<TranscriptionTables>().query;
}
