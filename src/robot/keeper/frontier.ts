import { sql } from 'kysely';
import { type Columns, rowsOf } from '../database/rows-of.ts';
import { type Database, type Queries, type RequestRow, requestState } from '../database/tables.ts';

/** A request to add. */
export interface NewRequest {
  domain: number;
  path: string;
  kind: string;
  depth: number;
  parent: number;
  hops: number;
  via: string | null;
}

/** How a request ended. */
export interface EndedRequest {
  domain: number;
  path: string;
  state: number;
  attempts: number;
  notBefore: number;
  status: number | null;
  usability: number | null;
  fetchedAt: number | null;
  segment: number | null;
  outcome: string;
  etag: string | null;
  lastModified: string | null;
  /** Null keeps the stored one. */
  exact: string | null;
  revisitMs: number;
}

/** The requests of a crawl, in the Database, so that memory does not grow with their number. Only the keeper writes them. */
export interface Frontier {
  /** Adds new requests. Corrects known ones to which the new way is shorter. */
  add(
    transaction: Queries,
    requests: readonly NewRequest[],
  ): Promise<{ added: Map<number, number>; corrected: { domain: number; path: string; depth: number }[] }>;
  /** The next requests of a domain, by depth, then by usability of the page with the link. */
  next(transaction: Queries, domain: number, count: number): Promise<RequestRow[]>;
  /** Marks requests as part of a batch. */
  hold(
    transaction: Queries,
    batch: string,
    requests: readonly { domain: number; path: string }[],
  ): Promise<void>;
  /** Stores how requests ended; resolves to their depths, which may have been corrected meanwhile. */
  end(transaction: Queries, requests: readonly EndedRequest[]): Promise<Map<string, number>>;
  /** Queues again what a batch still holds; resolves to the number per domain. */
  release(transaction: Queries, batch: string): Promise<Map<number, number>>;
  /** Queues requests whose next attempt is due; resolves to the number per domain. */
  wake(transaction: Queries, range: { from: number; to: number; now: number }): Promise<Map<number, number>>;
  /** Queues some of the pages that are due for another visit; resolves to the number per domain. */
  revisit(
    transaction: Queries,
    range: { from: number; to: number; now: number },
  ): Promise<Map<number, number>>;
  /** Moves all requests of a domain from one state to another; resolves to their number. */
  change(
    transaction: Queries,
    domain: number,
    from: number,
    to: number,
    outcome: string | null,
  ): Promise<number>;
}

const revisitedAtOnce = 10_000;
/** More links are added in several statements, so that writing one takes little time. */
export const mostAddedAtOnce = 5_000;

export const keyOf = ({ domain, path }: { domain: number; path: string }) => `${domain} ${path}`;

const rank = (request: NewRequest) =>
  request.depth * 1000 + Math.round((1 - Math.min(1, Math.max(0, request.parent))) * 999);

const endColumns: Columns = {
  domain: 'bigint',
  path: 'text',
  state: 'bigint',
  attempts: 'bigint',
  notBefore: 'bigint',
  status: 'bigint',
  usability: 'double precision',
  fetchedAt: 'bigint',
  segment: 'bigint',
  outcome: 'text',
  etag: 'text',
  lastModified: 'text',
  exact: 'text',
  revisitMs: 'bigint',
};

export function openFrontier(dialect: Database['dialect']): Frontier {
  return {
    async add(transaction, requests) {
      const added = new Map<number, number>();
      const corrected: { domain: number; path: string; depth: number }[] = [];
      if (requests.length === 0) return { added, corrected };
      const columns: Columns = {
        domain: 'bigint',
        path: 'text',
        kind: 'text',
        depth: 'bigint',
        rank: 'bigint',
        parent: 'double precision',
        hops: 'bigint',
        via: 'text',
      };
      const rows = unique(requests).map((request) => [
        request.domain,
        request.path,
        request.kind,
        request.depth,
        rank(request),
        request.parent,
        request.hops,
        request.via,
      ]);
      const { rows: changed } = await sql<
        Pick<RequestRow, 'domain' | 'path' | 'depth' | 'state' | 'corrected'>
      >`
        INSERT INTO "robot_request" ("domain", "path", "kind", "depth", "rank", "parent", "hops", "via", "state")
        SELECT "domain", "path", "kind", "depth", "rank", "parent", "hops", "via", 0
        FROM ${rowsOf(dialect, columns, rows)} AS "new" WHERE true
        ON CONFLICT ("domain", "path") DO UPDATE SET "depth" = excluded."depth", "rank" = excluded."rank",
          "parent" = excluded."parent", "corrected" = "robot_request"."corrected" + 1
        WHERE excluded."depth" < "robot_request"."depth"
          OR (excluded."depth" = "robot_request"."depth" AND "robot_request"."state" = 0
            AND excluded."parent" > "robot_request"."parent")
        RETURNING "domain", "path", "depth", "state", "corrected"`.execute(transaction);
      for (const row of changed) {
        if (Number(row.corrected) === 0) count(added, Number(row.domain));
        else if (Number(row.state) === requestState.done)
          corrected.push({ domain: Number(row.domain), path: row.path, depth: Number(row.depth) });
      }
      return { added, corrected };
    },

    async next(transaction, domain, limit) {
      return transaction
        .selectFrom('robot_request')
        .selectAll()
        .where('domain', '=', domain)
        .where('state', '=', sql.lit<number>(requestState.queued))
        .orderBy('rank')
        .limit(limit)
        .execute();
    },

    async hold(transaction, batch, requests) {
      const rows = requests.map(({ domain, path }) => [domain, path]);
      await sql`UPDATE "robot_request" SET "state" = 1, "batch" = ${batch}
        FROM ${rowsOf(dialect, { domain: 'bigint', path: 'text' }, rows)} AS "held"
        WHERE "robot_request"."domain" = "held"."domain" AND "robot_request"."path" = "held"."path"`.execute(
        transaction,
      );
    },

    async end(transaction, requests) {
      if (requests.length === 0) return new Map();
      const rows = requests.map((request) => [
        request.domain,
        request.path,
        request.state,
        request.attempts,
        request.notBefore,
        request.status,
        request.usability,
        request.fetchedAt,
        request.segment,
        request.outcome,
        request.etag,
        request.lastModified,
        request.exact,
        request.revisitMs,
      ]);
      const { rows: ended } = await sql<Pick<RequestRow, 'domain' | 'path' | 'depth'>>`
        UPDATE "robot_request" SET "state" = "ended"."state", "attempts" = "ended"."attempts", "batch" = NULL,
          "notBefore" = "ended"."notBefore", "status" = "ended"."status", "usability" = COALESCE("ended"."usability", "robot_request"."usability"),
          "fetchedAt" = "ended"."fetchedAt", "segment" = "ended"."segment", "outcome" = "ended"."outcome",
          "etag" = "ended"."etag", "lastModified" = "ended"."lastModified",
          "exact" = COALESCE("ended"."exact", "robot_request"."exact"), "revisitMs" = "ended"."revisitMs"
        FROM ${rowsOf(dialect, endColumns, rows)} AS "ended"
        WHERE "robot_request"."domain" = "ended"."domain" AND "robot_request"."path" = "ended"."path"
        RETURNING "robot_request"."domain", "robot_request"."path", "robot_request"."depth"`.execute(
        transaction,
      );
      return new Map(
        ended.map(({ domain, path, depth }) => [keyOf({ domain: Number(domain), path }), Number(depth)]),
      );
    },

    async release(transaction, batch) {
      const { rows } = await sql<{ domain: number }>`
        UPDATE "robot_request" SET "state" = 0, "batch" = NULL WHERE "batch" = ${batch} AND "state" = 1
        RETURNING "domain"`.execute(transaction);
      return counted(rows);
    },

    async wake(transaction, { from, to, now }) {
      const { rows } = await sql<{ domain: number }>`
        UPDATE "robot_request" SET "state" = 0 WHERE "state" = 5 AND "notBefore" <= ${now}
          AND "domain" >= ${from} AND "domain" < ${to} RETURNING "domain"`.execute(transaction);
      return counted(rows);
    },

    async revisit(transaction, { from, to, now }) {
      const { rows } = await sql<{ domain: number }>`
        UPDATE "robot_request" SET "state" = 0, "attempts" = 0, "notBefore" = 0 WHERE ("domain", "path") IN (
          SELECT "domain", "path" FROM "robot_request" WHERE "state" = 2 AND "notBefore" > 0 AND "notBefore" <= ${now}
            AND "domain" >= ${from} AND "domain" < ${to} ORDER BY "notBefore" LIMIT ${sql.lit(revisitedAtOnce)})
        RETURNING "domain"`.execute(transaction);
      return counted(rows);
    },

    async change(transaction, domain, from, to, outcome) {
      const { numAffectedRows } = await sql`
        UPDATE "robot_request" SET "state" = ${to}, "outcome" = ${outcome}
        WHERE "domain" = ${domain} AND "state" = ${from}`.execute(transaction);
      return Number(numAffectedRows ?? 0);
    },
  };
}

/** A statement may touch a row only once: of several ways to a page, the shortest counts. */
function unique(requests: readonly NewRequest[]): NewRequest[] {
  const best = new Map<string, NewRequest>();
  for (const request of requests) {
    const key = keyOf(request);
    const known = best.get(key);
    if (!known || rank(request) < rank(known)) best.set(key, request);
  }
  return [...best.values()];
}

function counted(rows: readonly { domain: number }[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { domain } of rows) count(counts, Number(domain));
  return counts;
}

function count(counts: Map<number, number>, domain: number): void {
  counts.set(domain, (counts.get(domain) ?? 0) + 1);
}
