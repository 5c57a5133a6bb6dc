import { sql } from 'kysely';
import { z } from 'zod';
import type { Database, Queries } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';
import { lastLine } from './outcome.ts';
import { milliseconds, type Request, type StageLog } from './request.ts';
import { sizeOf } from './result-files.ts';

/** How long a failed request can be looked at. */
export const failureKeptMs = 7 * 24 * 60 * 60_000;
/** Of one owner; the programs that name none count as one. The oldest go first. */
const mostOfOwner = 1000;
/** In characters, of all logs together. */
const longestLogs = 32 * 1024;
const longestReason = 1000;
const mostFiles = 50;

/** Where a failed request went. */
export interface Failed {
  outcome: 'output' | 'dead';
  queue: string;
  /** Id of its message. */
  message: string;
  /** Those that it still had to go through, with the one in which it failed. */
  stages: readonly string[];
}

/**
 * Writes down that a request has failed for good, with its log and its way. Nothing is written about others. A request that fails
 * again replaces its row, so this may be repeated.
 */
export async function recordFailure(
  { clock, database }: { clock: Clock; database: Pick<Database, 'transaction'> },
  request: Request,
  { stages, ...failed }: Failed,
): Promise<void> {
  const now = clock.now();
  const { owner, pipeline, batch } = request;
  const last = request.logs.at(-1);
  const details: z.input<typeof detailsModel> = {
    stages: [...stages],
    files: request.results.slice(0, mostFiles).map((file) => ({ name: file.name, size: sizeOf(file) })),
    logs: shownLogs(request.logs),
  };
  const row = {
    ...failed,
    stage: last?.stage ?? stages[0] ?? '',
    pipeline: storable(pipeline, 200),
    batch: storable(batch, 200),
    attempt: last?.attempt ?? 0,
    reason: storable(lastLine(last?.log ?? ''), longestReason),
    detailsJson: storable(JSON.stringify(details)),
    startedAt: milliseconds(request.startTime) ?? null,
    failedAt: now,
  };
  const uuid = storable(request.uuid, 200);
  await database.transaction(async (transaction) => {
    await transaction
      .insertInto('failedRequest')
      .values({ owner, uuid, ...row })
      .onConflict((conflict) => conflict.columns(['owner', 'uuid']).doUpdateSet(row))
      .execute();
    await forgetBeyond(transaction, owner);
  });
}

async function forgetBeyond(transaction: Queries, owner: string): Promise<void> {
  const oldest = await transaction
    .selectFrom('failedRequest')
    .select('failedAt')
    .where('owner', '=', owner)
    .orderBy('failedAt', 'desc')
    .offset(mostOfOwner)
    .limit(1)
    .executeTakeFirst();
  if (oldest)
    await transaction
      .deleteFrom('failedRequest')
      .where('owner', '=', owner)
      .where('failedAt', '<=', oldest.failedAt)
      .execute();
}

/** Forgets what is older than a week. Resolves to the number of requests. */
export async function forgetFailures(queries: Queries, now: number): Promise<number> {
  const deleted = await queries
    .deleteFrom('failedRequest')
    .where('failedAt', '<', now - failureKeptMs)
    .executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

const detailsModel = z.object({
  stages: z.array(z.string()),
  files: z.array(z.object({ name: z.string(), size: z.number() })),
  logs: z.array(
    z.object({
      stage: z.string(),
      version: z.number(),
      worker: z.string(),
      attempt: z.number(),
      startedAt: z.number().nullable(),
      endedAt: z.number().nullable(),
      status: z.string(),
      log: z.string(),
    }),
  ),
});

/** The way through the stages. The last log, which says why, gets the room that it needs first. */
function shownLogs(logs: readonly StageLog[]): z.input<typeof detailsModel>['logs'] {
  let room = longestLogs;
  return logs
    .slice(-100)
    .reverse()
    .map(({ stage, version, hostId, attempt, start, end, status, log }) => {
      const shown = log.slice(-Math.max(0, room)).slice(0, room);
      room -= shown.length;
      const [startedAt = null, endedAt = null] = [milliseconds(start), milliseconds(end)];
      return { stage, version, worker: hostId, attempt, startedAt, endedAt, status, log: shown };
    })
    .reverse();
}

function storable(text: string, longest = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\0', '').toWellFormed().slice(0, longest);
}

export interface FailureFilter {
  owner?: string | undefined;
  stage?: string | undefined;
  batch?: string | undefined;
  outcome?: 'output' | 'dead' | undefined;
  /** Part of the reason. */
  reason?: string | undefined;
  /** Part of the uuid, the reason or the log. */
  text?: string | undefined;
  since?: number | undefined;
  before?: number | undefined;
}

const listed = [
  ...(['uuid', 'owner', 'stage', 'pipeline', 'batch', 'outcome', 'queue', 'message'] as const),
  ...(['attempt', 'reason', 'startedAt', 'failedAt'] as const),
];

/** Newest first, and how many match in all. */
export async function listFailures(
  queries: Queries,
  filter: FailureFilter,
  { now, offset, limit }: { now: number; offset: number; limit: number },
) {
  const matching = () => {
    const { owner, stage, batch, outcome, reason, text, since = 0, before } = filter;
    let query = queries
      .selectFrom('failedRequest')
      .where('failedAt', '>=', Math.max(since, now - failureKeptMs));
    if (before !== undefined) query = query.where('failedAt', '<', before);
    if (owner !== undefined) query = query.where('owner', '=', owner);
    if (stage !== undefined) query = query.where('stage', '=', stage);
    if (batch !== undefined) query = query.where('batch', '=', batch);
    if (outcome !== undefined) query = query.where('outcome', '=', outcome);
    if (reason !== undefined) query = query.where(contains('reason', reason));
    if (text !== undefined)
      query = query.where(({ or }) =>
        or([contains('uuid', text), contains('reason', text), contains('detailsJson', inJson(text))]),
      );
    return query;
  };
  const counted = await matching()
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirst();
  const rows = await matching()
    .select(listed)
    .orderBy('failedAt', 'desc')
    .orderBy('uuid')
    .offset(offset)
    .limit(limit)
    .execute();
  return { rows, total: Number(counted?.total ?? 0) };
}

function contains(column: 'uuid' | 'reason' | 'detailsJson', text: string) {
  const pattern = `%${text.toLowerCase().replaceAll(/[!%_]/g, (character) => `!${character}`)}%`;
  return sql<boolean>`lower(${sql.ref(column)}) LIKE ${pattern} ESCAPE '!'`;
}

/** As JSON writes it. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The failures of requests with this uuid, newest first; users choose uuids, so several may have the same. */
export async function findFailures(queries: Queries, uuid: string, now: number) {
  const rows = await queries
    .selectFrom('failedRequest')
    .select([...listed, 'detailsJson'])
    .where('uuid', '=', uuid)
    .where('failedAt', '>=', now - failureKeptMs)
    .orderBy('failedAt', 'desc')
    .limit(100)
    .execute();
  return rows.map(({ detailsJson, ...row }) => ({ ...row, ...detailsModel.parse(JSON.parse(detailsJson)) }));
}
