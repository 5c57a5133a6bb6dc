import { PismakError } from '../../engine/ground/errors.ts';
import type { ZoneDays } from '../calendar/zone-days.ts';
import type { StatisticsDatabase } from '../database/tables.ts';
import { incompatibility, type Schema, schemaFile } from '../schema/schema.ts';
import type { Schemas } from '../schema/schemas.ts';

/** What sums depend on. Once something is counted, the time zone stays, and schemas change only in compatible ways. */
export interface Foundations {
  schemas: Schemas;
  days: ZoneDays;
}

/** What the stored sums were counted with; without a time zone if nothing has been counted yet. */
export async function storedFoundations(
  database: StatisticsDatabase,
): Promise<{ timezone: string | undefined; schemas: Schema[] }> {
  const rows = await database.query.selectFrom('statistics_fixed').selectAll().execute();
  return {
    timezone: rows.find(({ name }) => name === 'timezone')?.value,
    schemas: rows
      .filter(({ name }) => name.startsWith('schema:'))
      .map(({ value }) => schemaFile.parse(JSON.parse(value))),
  };
}

/** Refuses a time zone or schemas with which the stored sums would be misread. */
export async function checkFoundations(
  database: StatisticsDatabase,
  { schemas, days }: Foundations,
): Promise<void> {
  const stored = await storedFoundations(database);
  if (stored.timezone !== undefined && stored.timezone !== days.timeZone)
    throw new PismakError(
      'configuration-invalid',
      `the stored days are those of ${stored.timezone}, so statistics.timezone can't become ${days.timeZone}`,
    );
  for (const before of stored.schemas) {
    const now = schemas.all.find(({ name }) => name === before.name);
    const problem = now && incompatibility(before, now);
    if (problem !== undefined)
      throw new PismakError('configuration-invalid', `schema ${before.name}: ${problem}`);
  }
}

/** Stores the foundations, before the first event is counted. */
export async function fixFoundations(
  database: StatisticsDatabase,
  { schemas, days }: Foundations,
): Promise<void> {
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
