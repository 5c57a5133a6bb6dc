import type { Database, Queries } from '../../engine/database/database.ts';

export interface StatisticsTables {
  /** What must not change under stored sums: the schemas they were counted with, and `timezone`. */
  statistics_fixed: { name: string; value: string };
  /** A cube: everything about one user and one kind. */
  statistics_cube: {
    id: number;
    kind: string;
    user: string;
    /** Number of the last batch with events for it. */
    seq: number;
    /** Rises with every change, so that readers know whether their cache is current. */
    version: number;
    /** Rises when something that readers may have cached is deleted. */
    pruned: number;
    /** Number of entities, and so the ordinal of the next one. */
    entities: number;
    /** Rises when entities are changed. */
    entityVersion: number;
  };
  statistics_entity: {
    cube: number;
    ordinal: number;
    key: string;
    name: string;
    status: string;
    parent: string;
    budget: number | null;
    createdAt: number;
  };
  /** Sums by half hour from batches that are not in all units yet. */
  statistics_segment: {
    cube: number;
    seq: number;
    day: number;
    chunk: number;
    rows: number;
    block: Uint8Array;
  };
  statistics_unit: {
    cube: number;
    level: number;
    bucket: number;
    chunk: number;
    /** The cube's version when it was published. */
    generation: number;
    /** It contains exactly the segments up to this number. */
    upTo: number;
    rows: number;
    /** Bit set of the splits that it has rows for. */
    splits: number;
    /** 1 for a day whose slots are gone: the day itself is the finest record then. */
    sealed: number;
    builtAt: number;
    /** 0, or the number under which ClickHouse has its rows; `block` is then only their outline. */
    body: number;
    block: Uint8Array;
  };
  /** Rows that are being written to ClickHouse and don't count yet. */
  statistics_write: { id: number; cube: number; createdAt: number };
  /** Accepted batches, so that one sent twice counts once. */
  statistics_batch: {
    owner: string;
    token: string;
    hash: string;
    events: number;
    accepted: number;
    refused: number;
    corrections: number;
    receivedAt: number;
  };
  /** Events that came after their month was closed. */
  statistics_correction: {
    id: string;
    kind: string;
    user: string;
    entity: string;
    split: string;
    at: number;
    day: number;
    event: string;
    dimensionsJson: string;
    token: string;
    receivedAt: number;
  };
  statistics_closed: { month: number; closedAt: number; closedBy: string };
  /** Which users' statistics an account or a key may read or write, besides its own. */
  statistics_access: { reader: string; user: string; mayWrite: number };
}

export type StatisticsDatabase = Database<StatisticsTables>;
export type StatisticsQueries = Queries<StatisticsTables>;

/** The engine's database with the types of this house's tables. */
export function statisticsDatabase({ database }: { database: Database }): StatisticsDatabase {
  return database.withTables<StatisticsTables>();
}
