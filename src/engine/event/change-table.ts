import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { Change } from './change-log.ts';

/** The rows of the cluster's list, on PostgreSQL only. */
type Numbered = Change & { id: number };

export const changesChannel = 'pismak_changes';

/**
 * Appends a batch in one statement, which is its own transaction. The row of `changeCount` is locked from the drawing of the numbers until the commit is
 * visible, so numbers appear in order: who has read up to a number has missed nothing before it. Numbers follow the clock, so none
 * is used twice even if a fail-over or a restored backup has forgotten the latest.
 */
export async function appendChanges(
  { query }: Pick<Database, 'query'>,
  changes: readonly Omit<Change, 'id'>[],
): Promise<void> {
  // JSON has no NUL and no half characters, so PostgreSQL can store any of it.
  const texts = changes.map((change) => JSON.stringify(change));
  await sql`
    WITH "drawn" AS (
      INSERT INTO "changeCount" ("name", "last")
      VALUES ('', FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT * 1000)
      ON CONFLICT ("name") DO UPDATE
        SET "last" = GREATEST("changeCount"."last" + ${texts.length}, EXCLUDED."last")
      RETURNING "last"
    ), "added" AS (
      INSERT INTO "change" ("id", "changeJson")
      SELECT "last" - ${texts.length} + "number", "text"
      FROM "drawn", unnest(${texts}::TEXT[]) WITH ORDINALITY AS "each" ("text", "number")
    )
    SELECT pg_notify(${changesChannel}, '') FROM "drawn"`.execute(query);
}

export async function changesAfter({ query }: Pick<Database, 'query'>, id: number, limit: number) {
  const rows = await query
    .selectFrom('change')
    .selectAll()
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(toChange);
}

/** The latest, oldest first. */
export async function latestChanges({ query }: Pick<Database, 'query'>, limit: number): Promise<Numbered[]> {
  const rows = await query.selectFrom('change').selectAll().orderBy('id', 'desc').limit(limit).execute();
  return rows.map(toChange).reverse();
}

export async function pruneChanges({ query }: Pick<Database, 'query'>, kept: number): Promise<void> {
  await query
    .deleteFrom('change')
    .where('id', '<=', (row) =>
      row.selectFrom('change').select('id').orderBy('id', 'desc').offset(kept).limit(1),
    )
    .execute();
}

function toChange({ id, changeJson }: { id: number; changeJson: string }): Numbered {
  return { ...(JSON.parse(changeJson) as Omit<Change, 'id'>), id };
}
