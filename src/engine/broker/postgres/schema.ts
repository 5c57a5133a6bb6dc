import type { PostgresSchema } from '../../database/postgres/schema.ts';

/** Where notices of new messages and changed queues go. */
export const channel = 'pismak_broker';

/** What of `counts` is read by status and publishers: a transaction that began this many periods ago may still commit. */
export const periodsLate = 8;

const claimTables = `
  CREATE TABLE claim (
    owner bigint NOT NULL,
    round bigint NOT NULL,
    seqs bigint[] NOT NULL, -- what is acked stays listed until all of the round is settled
    PRIMARY KEY (owner, round)
  ) WITH (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
  ALTER TABLE claim ALTER seqs SET STORAGE EXTERNAL;
  CREATE TABLE running (
    seq bigint PRIMARY KEY,
    owner bigint NOT NULL,
    queue int NOT NULL,
    lane smallint NOT NULL,
    attempts int NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  -- A process leaves, or is declared dead: what it had started counts as an attempt, and all that it had claimed is ready again.
  CREATE FUNCTION free_claims() RETURNS trigger LANGUAGE plpgsql SET search_path = pismak_broker AS $$
  DECLARE
    lost bigint[];
  BEGIN
    WITH gone AS (DELETE FROM claim WHERE owner = OLD.number RETURNING round, seqs)
    SELECT array_agg(one) INTO lost FROM gone CROSS JOIN unnest(seqs) AS one WHERE round >= OLD.first_round;
    WITH stopped AS (DELETE FROM running WHERE seq = ANY(lost) AND owner = OLD.number RETURNING seq, attempts)
    UPDATE message SET attempts = stopped.attempts FROM stopped
      WHERE message.seq = ANY(lost) AND message.seq = stopped.seq;
    PERFORM pg_notify('${channel}', CASE WHEN bool_or(lane = 0) THEN 'h' ELSE 'n' END || min(seq) || ':' || name)
      FROM (SELECT queue, lane, seq, state FROM message WHERE seq = ANY(lost) OFFSET 0) AS m JOIN queue ON number = queue
      WHERE state = 0 AND name IS NOT NULL GROUP BY name;
    RETURN OLD;
  END $$;
  CREATE TRIGGER process_gone BEFORE DELETE ON process FOR EACH ROW EXECUTE FUNCTION free_claims();
`;

const countsTable = `
  CREATE TABLE counts (
    queue int NOT NULL,
    period bigint NOT NULL, -- 0: the sum of what is older
    shard int NOT NULL,
    high bigint NOT NULL,
    normal bigint NOT NULL,
    delayed bigint NOT NULL,
    dead bigint NOT NULL,
    since bigint NOT NULL DEFAULT 0, -- of a sum: the first period that may not be in it
    PRIMARY KEY (queue, period, shard)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

  CREATE FUNCTION this_period() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT now_ms() >> 12 $$;
  CREATE OR REPLACE FUNCTION count_messages() RETURNS trigger LANGUAGE plpgsql SET search_path = pismak_broker AS $$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO counts
        SELECT queue, this_period(), pg_backend_pid(), count(*) FILTER (WHERE lane = 0), count(*) FILTER (WHERE lane = 1), 0, 0
        FROM new_rows GROUP BY queue
      ON CONFLICT (queue, period, shard) DO UPDATE SET high = counts.high + excluded.high, normal = counts.normal + excluded.normal;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO counts
        SELECT queue, this_period(), pg_backend_pid(),
          coalesce(sum(n) FILTER (WHERE state = 0 AND lane = 0), 0), coalesce(sum(n) FILTER (WHERE state = 0 AND lane = 1), 0),
          coalesce(sum(n) FILTER (WHERE state = 1), 0), coalesce(sum(n) FILTER (WHERE state = 2), 0)
        FROM (SELECT queue, lane, state, 1 AS n FROM new_rows UNION ALL SELECT queue, lane, state, -1 FROM old_rows) AS change
        GROUP BY queue
      ON CONFLICT (queue, period, shard) DO UPDATE SET high = counts.high + excluded.high, normal = counts.normal + excluded.normal,
        delayed = counts.delayed + excluded.delayed, dead = counts.dead + excluded.dead;
    ELSE
      INSERT INTO counts
        SELECT queue, this_period(), pg_backend_pid(), -count(*) FILTER (WHERE state = 0 AND lane = 0),
          -count(*) FILTER (WHERE state = 0 AND lane = 1), -count(*) FILTER (WHERE state = 1), -count(*) FILTER (WHERE state = 2)
        FROM old_rows GROUP BY queue
      ON CONFLICT (queue, period, shard) DO UPDATE SET high = counts.high + excluded.high, normal = counts.normal + excluded.normal,
        delayed = counts.delayed + excluded.delayed, dead = counts.dead + excluded.dead;
    END IF;
    RETURN NULL;
  END $$;
  -- Reads the sum and the periods after it: a scan of all would step over every row that was ever counted.
  CREATE FUNCTION counted(queue_number int) RETURNS TABLE (high bigint, normal bigint, delayed bigint, dead bigint)
    LANGUAGE plpgsql STABLE SET search_path = pismak_broker AS $$
  DECLARE
    first bigint;
  BEGIN
    -- The clock may have been set back since.
    SELECT greatest(least(since, this_period()) - ${periodsLate}, 1) INTO first FROM counts WHERE queue = queue_number AND period = 0 AND shard = 0;
    RETURN QUERY SELECT coalesce(sum(c.high), 0)::bigint, coalesce(sum(c.normal), 0)::bigint,
      coalesce(sum(c.delayed), 0)::bigint, coalesce(sum(c.dead), 0)::bigint FROM (
        SELECT * FROM counts WHERE queue = queue_number AND period = 0
        UNION ALL SELECT * FROM counts WHERE queue = queue_number AND period >= coalesce(first, 1)) AS c;
  END $$;
`;

/**
 * A message is written once and deleted once: `seq` is its place and never changes. States: 0 ready, 1 delayed, 2 dead.
 * Lanes: 0 high, 1 normal. Times are the server's, in milliseconds.
 *
 * Claims are kept outside `message`: what a process claims in one round is one row of `claim`, so a claim copies no
 * message (with a column in `message` it cost half of all the server's work). Messages whose handlers don't finish at
 * once are `running`, with the attempt that was charged. Both last as long as the lease of their process, which the
 * process renews.
 *
 * Counting a million rows takes half a second, so triggers keep counts. Each connection has its own rows (`shard`);
 * otherwise all would wait for one row until the other's commit. Upkeep adds up the rows of past periods.
 *
 * While any transaction is open, even a stranger's, vacuum removes nothing that was deleted since it began. So whoever looks for
 * what is live begins where that begins: among messages at a floor (`floors.ts`), among claims at the `first_round` of their
 * process, among counts at the last periods, because each update of a row would step over all its former versions.
 */
const tables = `
  CREATE TABLE queue (
    number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text UNIQUE, -- null: removed, and its messages are being deleted
    paused boolean NOT NULL DEFAULT false,
    max_length bigint
  );
  CREATE TABLE process (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lease_until bigint NOT NULL,
    first_round bigint NOT NULL DEFAULT 0 -- earlier rounds of claims are over
  );
  CREATE TABLE message (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    published_at bigint NOT NULL,
    ready_at bigint,
    queue int NOT NULL,
    attempts int NOT NULL DEFAULT 0,
    lane smallint NOT NULL,
    state smallint NOT NULL DEFAULT 0,
    id text NOT NULL,
    headers text,
    history text,
    body bytea NOT NULL
  ) WITH (
    -- Rows come and go: what is dead must leave soon, or every claim has to step over it.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0.5
  );
  ALTER TABLE message ALTER body SET STORAGE EXTERNAL;
  CREATE INDEX message_ready ON message (queue, lane, seq) WHERE state = 0;
  CREATE INDEX message_delayed ON message (queue, ready_at) WHERE state = 1;
  CREATE INDEX message_due ON message (ready_at) WHERE state = 1;
  CREATE INDEX message_dead ON message (queue, seq) WHERE state = 2;

  ${claimTables}
  ${countsTable}
  CREATE TRIGGER message_inserted AFTER INSERT ON message REFERENCING NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
  CREATE TRIGGER message_updated AFTER UPDATE ON message REFERENCING NEW TABLE AS new_rows OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
  CREATE TRIGGER message_deleted AFTER DELETE ON message REFERENCING OLD TABLE AS old_rows
    FOR EACH STATEMENT EXECUTE FUNCTION count_messages();
`;

/** Version 2 had no `first_round`, and one row of counts for each connection. Its processes would not see our claims. */
const upgrade = `
  LOCK TABLE process;
  IF EXISTS (SELECT FROM process WHERE lease_until >= now_ms()) THEN RETURN; END IF;
  DELETE FROM process;
  ALTER TABLE process ADD first_round bigint NOT NULL DEFAULT 0;
  ALTER TABLE counts RENAME TO counts_before;
  ALTER INDEX counts_pkey RENAME TO counts_before_pkey;
  ${countsTable}
  INSERT INTO counts SELECT queue, 0, 0, sum(high), sum(normal), sum(delayed), sum(dead) FROM counts_before GROUP BY queue;
  DROP TABLE counts_before;
  UPDATE message SET attempts = running.attempts FROM running WHERE message.seq = running.seq;
  DROP TABLE claim, running;
  ${claimTables}
`;

export const schema: PostgresSchema = {
  name: 'pismak_broker',
  version: 3,
  tables,
  upgrade,
  lock: 7_061_736_002,
};
