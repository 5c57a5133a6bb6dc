import type { Statement } from '../../database/postgres/lasting-connection.ts';
import { ownerHeader } from '../owner-header.ts';

/*
 * Messages are looked up one by one (LATERAL ... OFFSET 0), which the planner can't reorder: planned while the table
 * was empty, a join read all of a queue of 10,000 for each claim, and a run that takes a second took 23. Their state is compared
 * outside: inside, the planner may look in `message_ready`, of which it then reads everything.
 */

/** Claims that may be live, of all processes: earlier rounds are over, and their rows only wait for vacuum. */
const claims = `process CROSS JOIN LATERAL (
  SELECT owner, round, unnest(seqs) AS seq FROM claim WHERE owner = process.number AND round >= process.first_round OFFSET 0) AS c`;
/** Every message that is claimed, and so every one that is `running`, is at this place or after it. */
export const firstClaimed = `SELECT coalesce(min(c.seq), 0) FROM ${claims}`;
/** Their places. */
export const claimed = `SELECT c.seq FROM ${claims}`;

/**
 * Deletes acked messages and charges those still running. Removes finished rounds of claims, and with them claims whose
 * answer never reached us. A process that has lost its lease changes nothing: others find its messages, and
 * what it had started counts as an attempt.
 */
const usual = `
    WITH alive AS MATERIALIZED (SELECT number, first_round FROM process WHERE number = $1 FOR KEY SHARE),
    acked AS (DELETE FROM message WHERE seq = ANY($2::bigint[]) AND EXISTS (SELECT FROM alive)),
    ended AS (DELETE FROM running WHERE seq = ANY($3::bigint[]) AND owner IN (SELECT number FROM alive)),
    started AS (
      INSERT INTO running (seq, owner, queue, lane, attempts)
      SELECT v.seq, number, m.queue, m.lane, v.attempts
      FROM alive CROSS JOIN unnest($4::bigint[], $5::int[]) AS v (seq, attempts)
      CROSS JOIN LATERAL (SELECT queue, lane FROM message WHERE seq = v.seq OFFSET 0) AS m
      ON CONFLICT (seq) DO UPDATE SET owner = excluded.owner, attempts = excluded.attempts),
    over AS (DELETE FROM claim WHERE owner = $1 AND round >= (SELECT first_round FROM alive) AND round <> ALL($6::bigint[]))`;

/** Whether we are alive, and the last place given to a message: places before it are taken, or a notice tells of them. */
const answer = 'SELECT count(*), (SELECT last_value FROM message_seq_seq) FROM alive';

/** What most rounds write. Moving nothing would cost a fifth more: triggers run for no rows too. */
export const settle: Statement = { name: 'settle', text: `${usual} ${answer}` };

/** The same when messages were also released, retried or dead-lettered. */
export const settleAndMove: Statement = {
  name: 'settle-and-move',
  text: `${usual},
    moved AS (
      UPDATE message AS m SET state = v.state, attempts = v.attempts, history = coalesce(v.history, m.history),
        ready_at = CASE WHEN v.state = 1 THEN now_ms() + v.delay END
      FROM unnest($7::bigint[], $8::smallint[], $9::int[], $10::bigint[], $11::text[]) AS v (seq, state, attempts, delay, history)
      WHERE m.seq = ANY($7) AND m.seq = v.seq AND m.seq IN (
        SELECT unnest(seqs) FROM alive CROSS JOIN LATERAL (
          SELECT seqs FROM claim WHERE owner = alive.number AND round >= alive.first_round OFFSET 0) AS c)),
    freed AS (
      UPDATE claim SET seqs = ARRAY(SELECT one FROM unnest(seqs) AS one WHERE one <> ALL($12::bigint[]))
      WHERE owner IN (SELECT number FROM alive) AND round = ANY($13::bigint[]))
    ${answer}`,
};

/** Lets all who look for our claims begin at this round. Locks the row that renewals write: the last statement of a round. */
export const advance: Statement = {
  name: 'advance',
  text: 'UPDATE process SET first_round = $2 WHERE number = $1',
};

/**
 * The messages of a lane from a place on, for a search in the order of lane and place. Only the index `message_ready` can answer it.
 * With `lane = ...`, once a large queue had been analysed, the planner preferred the primary key, which is smaller: a search in
 * another queue read all messages of the large one. The scan begins at the row and ends with the lane (a row as its end would not
 * end it: the server ends a scan at the first column of a row only).
 */
export function readyFrom(queue: string, lane: string, first: string): string {
  return `message.queue = ${queue} AND (message.lane, message.seq) >= (${lane}, ${first}) AND message.lane <= ${lane}`;
}

/**
 * Claims the first unclaimed messages from a floor on (one for each lane) and locks them until the commit: other processes skip
 * locked rows. Owners may be passed over, in a search for messages of others. Returns the queues that are not paused, how many
 * messages it found in each, and the last of each lane.
 */
export const take: Statement = {
  name: 'take',
  text: `
    WITH found AS MATERIALIZED (
      SELECT w.name, c.lane, c.seq
      FROM unnest($3::text[], $4::int[], $5::smallint[], $6::jsonb[], $7::bigint[], $8::bigint[])
        AS w (name, most, lane, except_owners, high, normal)
      JOIN queue AS q ON q.name = w.name AND NOT q.paused
      CROSS JOIN LATERAL (
        SELECT f.lane, m.seq FROM (VALUES (0::smallint, w.high), (1::smallint, w.normal)) AS f (lane, first)
        CROSS JOIN LATERAL (
          SELECT seq FROM message WHERE state = 0 AND ${readyFrom('q.number', 'f.lane', 'f.first')}
            AND seq NOT IN (${claimed})
            AND (w.except_owners IS NULL OR NOT w.except_owners ? coalesce(headers::jsonb ->> '${ownerHeader}', ''))
          ORDER BY message.lane, seq LIMIT w.most FOR UPDATE SKIP LOCKED) AS m
        WHERE f.lane <= w.lane LIMIT w.most) AS c),
    taken AS (
      INSERT INTO claim (owner, round, seqs)
      SELECT number, $2, seqs FROM (SELECT array_agg(seq) AS seqs FROM found) AS f JOIN process ON number = $1
      WHERE seqs IS NOT NULL)
    SELECT q.name, (SELECT count(*) FROM found WHERE name = q.name),
      (SELECT max(seq) FROM found WHERE name = q.name AND lane = 0),
      (SELECT max(seq) FROM found WHERE name = q.name AND lane = 1)
    FROM queue AS q WHERE q.name = ANY($3::text[]) AND NOT q.paused`,
};

/**
 * Another process may have claimed and committed after we read the claims and before we locked the messages. This separate statement
 * sees that claim and leaves its messages alone.
 */
export const yieldToOthers: Statement = {
  name: 'yield-to-others',
  text: `
    WITH others AS MATERIALIZED (${claimed} WHERE process.number <> $1)
    UPDATE claim AS c SET seqs = ARRAY(SELECT one FROM unnest(c.seqs) AS one WHERE one NOT IN (SELECT seq FROM others))
    WHERE owner = $1 AND round = $2 AND EXISTS (SELECT FROM unnest(c.seqs) AS one WHERE one IN (SELECT seq FROM others))`,
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
