import type { Visit } from '../batch/plan.ts';
import { type RequestRow, requestState } from '../database/tables.ts';

/** A queued request as a visit of a batch. */
export function visitOf(row: RequestRow): Visit {
  return {
    path: row.path,
    kind: row.kind === 'robots' ? 'robots' : 'page',
    depth: row.depth,
    parent: row.parent,
    hops: row.hops,
    attempts: row.attempts,
    ...(row.via !== null && { via: row.via }),
    ...(row.etag !== null && { etag: row.etag }),
    ...(row.lastModified !== null && { lastModified: row.lastModified }),
    ...(row.exact !== null && { exact: row.exact }),
    ...(row.fetchedAt !== null && { isRevisit: true }),
    ...(row.fetchedAt !== null && row.status === 200 && { storedAt: Number(row.fetchedAt) }),
    ...(Number(row.revisitMs) > 0 && { revisitMs: Number(row.revisitMs) }),
  };
}

/** Ends a request without a visit: the present rules forbid it, or it was only there to get the rules. */
export function withoutVisit(row: RequestRow) {
  const isPage = row.kind === 'page';
  return {
    domain: row.domain,
    path: row.path,
    attempts: row.attempts,
    notBefore: 0,
    status: row.status,
    usability: row.usability,
    fetchedAt: row.fetchedAt,
    segment: row.segment,
    etag: row.etag,
    lastModified: row.lastModified,
    exact: row.exact,
    revisitMs: Number(row.revisitMs),
    state: isPage ? requestState.disallowed : requestState.done,
    outcome: isPage ? 'disallowed: robots.txt' : 'done: rules only',
  };
}
