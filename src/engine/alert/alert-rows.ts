import type { Queries } from '../database/database.ts';
import type { EngineTables } from '../database/tables.ts';
import type { SentenceCode } from '../ground/sentence.ts';

/** A problem of an entity. At most one alert is open for each kind and entity. */
export interface Alert {
  id: string;
  /** What is wrong, for programs: `stage.no-worker`, `store.unreachable`, ... */
  kind: string;
  /** What has the problem: a stage, a worker, a store. */
  entity: string;
  /** What is wrong and what to do, for people. */
  reason: string;
  /** The reason for programs, which can say it in another language; null: only the text is known. */
  sentence: SentenceCode | null;
  details: Readonly<Record<string, unknown>>;
  raisedAt: number;
  lastSeenAt: number;
  /** Null while the alert is open. */
  clearedAt: number | null;
  /** How often it was raised. */
  seen: number;
  /** Who has taken notice of it; null: nobody yet. */
  acknowledgedBy: string | null;
  acknowledgedAt: number | null;
  /** What they said about it. */
  note: string | null;
  /** Until then nobody is notified; null: it is not muted. */
  mutedUntil: number | null;
  mutedBy: string | null;
}

const keptMs = 90 * 24 * 3600 * 1000;
const listedAtMost = 1000;

export async function findOpen(queries: Queries, kind: string, entity: string): Promise<Alert | undefined> {
  const row = await queries
    .selectFrom('alert')
    .selectAll()
    .where('kind', '=', kind)
    .where('entity', '=', entity)
    .where('clearedAt', 'is', null)
    .executeTakeFirst();
  return row && fromRow(row);
}

export async function findAlert(queries: Queries, id: string): Promise<Alert | undefined> {
  const row = await queries.selectFrom('alert').selectAll().where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

export async function listAlerts(queries: Queries, { all = false } = {}): Promise<Alert[]> {
  const rows = await queries
    .selectFrom('alert')
    .selectAll()
    .$if(!all, (query) => query.where('clearedAt', 'is', null))
    .orderBy('raisedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(listedAtMost)
    .execute();
  return rows.map(fromRow);
}

export async function insertAlert(queries: Queries, alert: Alert): Promise<void> {
  await queries.insertInto('alert').values(toRow(alert)).execute();
}

export async function updateAlert(queries: Queries, alert: Alert): Promise<void> {
  await queries.updateTable('alert').set(toRow(alert)).where('id', '=', alert.id).execute();
}

/** Deletes alerts that ended long ago. */
export async function trimAlerts(queries: Queries, now: number): Promise<void> {
  await queries
    .deleteFrom('alert')
    .where('clearedAt', '<', now - keptMs)
    .execute();
}

function toRow({ details, sentence, ...rest }: Alert): EngineTables['alert'] {
  return {
    ...rest,
    detailsJson: JSON.stringify(details),
    sentenceJson: sentence && JSON.stringify(sentence),
  };
}

function fromRow({ detailsJson, sentenceJson, ...rest }: EngineTables['alert']): Alert {
  return {
    ...rest,
    details: JSON.parse(detailsJson),
    sentence: sentenceJson === null ? null : JSON.parse(sentenceJson),
  };
}
