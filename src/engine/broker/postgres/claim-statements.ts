import type { Statement } from '../../database/postgres/lasting-connection.ts';
import { ownerHeader } from '../owner-header.ts';

/*
 * Messages are looked up one by one (LATERAL ... OFFSET 0), which the planner can't reorder: planned while the table
 * was empty, a join read all of a queue of 10,000 for each claim, and a run that takes a second took 23.
 */

/**
 * Deletes acked messages and charges those still running. Removes finished rounds of claims, and with them claims whose
 * answer never reached us. A process that has lost its lease changes nothing: others find its messages, and
 * what it had started counts as an attempt.
 */
const usual = `
    WITH alive AS MATERIALIZED (SELECT number FROM process WHERE number = $1 FOR KEY SHARE),
    acked AS (DELETE FROM message WHERE seq = ANY($2::bigint[]) AND EXISTS (SELECT FROM alive)),
    ended AS (DELETE FROM running WHERE seq = ANY($3::bigint[]) AND owner IN (SELECT number FROM alive)),
    started AS (
      INSERT INTO running (seq, owner, queue, lane, attempts)
      SELECT v.seq, number, m.queue, m.lane, v.attempts
      FROM alive CROSS JOIN unnest($4::bigint[], $5::int[]) AS v (seq, attempts)
      CROSS JOIN LATERAL (SELECT queue, lane FROM message WHERE seq = v.seq OFFSET 0) AS m
      ON CONFLICT (seq) DO UPDATE SET owner = excluded.owner, attempts = excluded.attempts),
    over AS (DELETE FROM claim WHERE owner IN (SELECT number FROM alive) AND round <> ALL($6::bigint[]))`;

/** What most rounds write. Moving nothing would cost a fifth more: triggers run for no rows too. */
export const settle: Statement = { name: 'settle', text: `${usual} SELECT count(*) FROM alive` };

/** The same when messages were also released, retried or dead-lettered. */
export const settleAndMove: Statement = {
  name: 'settle-and-move',
  text: `${usual},
    moved AS (
      UPDATE message AS m SET state = v.state, attempts = v.attempts, history = coalesce(v.history, m.history),
        ready_at = CASE WHEN v.state = 1 THEN now_ms() + v.delay END
      FROM unnest($7::bigint[], $8::smallint[], $9::int[], $10::bigint[], $11::text[]) AS v (seq, state, attempts, delay, history)
      WHERE m.seq = ANY($7) AND m.seq = v.seq AND m.seq IN (SELECT unnest(seqs) FROM claim JOIN alive ON number = owner)),
    freed AS (
      UPDATE claim SET seqs = ARRAY(SELECT one FROM unnest(seqs) AS one WHERE one <> ALL($12::bigint[]))
      WHERE owner IN (SELECT number FROM alive) AND round = ANY($13::bigint[]))
    SELECT count(*) FROM alive`,
};

/**
 * Claims the first unclaimed messages and locks them until the commit: other processes skip locked rows. Owners may be
 * passed over, in a search for messages of others.
 */
export const take: Statement = {
  name: 'take',
  text: `
    WITH found AS MATERIALIZED (
      SELECT ARRAY(
        SELECT c.seq FROM unnest($3::text[], $4::int[], $5::smallint[], $6::jsonb[]) AS w (name, most, lane, except_owners)
        JOIN queue AS q ON q.name = w.name AND NOT q.paused
        CROSS JOIN LATERAL (
          SELECT seq FROM message WHERE queue = q.number AND state = 0 AND message.lane <= w.lane
            AND seq NOT IN (SELECT unnest(seqs) FROM claim)
            AND (w.except_owners IS NULL OR NOT w.except_owners ? coalesce(headers::jsonb ->> '${ownerHeader}', ''))
          ORDER BY lane, seq LIMIT w.most FOR UPDATE SKIP LOCKED) AS c) AS seqs)
    INSERT INTO claim (owner, round, seqs)
    SELECT number, $2, seqs FROM found JOIN process ON number = $1 WHERE seqs <> '{}'`,
};

/**
 * Another process may have claimed and committed after we read the claims and before we locked the messages. This separate statement
 * sees that claim and leaves its messages alone.
 */
export const yieldToOthers: Statement = {
  name: 'yield-to-others',
  text: `
    UPDATE claim AS c SET seqs = ARRAY(
      SELECT one FROM unnest(c.seqs) AS one WHERE one NOT IN (SELECT unnest(seqs) FROM claim WHERE owner <> $1))
    WHERE owner = $1 AND round = $2
      AND EXISTS (SELECT FROM unnest(c.seqs) AS one WHERE one IN (SELECT unnest(seqs) FROM claim WHERE owner <> $1))`,
};

/** The messages of a claim, and the names of their queues. */
export const fetch: Statement = {
  name: 'fetch',
  text: `
    SELECT q.name, m.seq, m.id, m.lane, m.attempts, m.published_at, m.headers, m.history, m.body
    FROM claim AS c CROSS JOIN unnest(c.seqs) AS one (seq)
    CROSS JOIN LATERAL (SELECT * FROM message WHERE seq = one.seq OFFSET 0) AS m
    JOIN queue AS q ON q.number = m.queue
    WHERE c.owner = $1 AND c.round = $2 ORDER BY m.lane, m.seq`,
};
