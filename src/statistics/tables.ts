import type { Database, Queries } from '../engine/database/database.ts';

export interface StatisticsTables {
  /** The schemas that stored data was counted with, and other things that must not change under it (`timezone`). */
  statistics_fixed: { name: string; value: string };
  /** Everything of one user and one kind. */
  statistics_cube: {
    id: number;
    kind: string;
    user: string;
    /** The number of the last batch that had events for it. */
    seq: number;
    /** Rises with every change, so that readers know whether what they remember is current. */
    version: number;
    /** Rises when something that readers may have listed is deleted. */
    pruned: number;
    /** How many entities it has; the next one gets this number. */
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
  /** What batches brought and is not in all units yet: sums by half hour. */
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
    /** Bit by bit, which splits it has rows of. */
    splits: number;
    /** 1 for a day whose slots are gone: the day itself is the finest record then. */
    sealed: number;
    builtAt: number;
    /** 0, or the number of its rows in ClickHouse; `block` is then only their outline. */
    body: number;
    block: Uint8Array;
  };
  /** Rows that are being written to ClickHouse and don't count yet. */
  statistics_write: { id: number; cube: number; createdAt: number };
  /** Batches that were taken, so that one sent twice counts once. */
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

/** The engine's database, seen with the house's tables. */
export function statisticsDatabase({ database }: { database: Database }): StatisticsDatabase {
  return database.withTables<StatisticsTables>();
}
