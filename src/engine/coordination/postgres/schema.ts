import type { PostgresSchema } from '../../database/postgres/schema.ts';

/** The channel of change notices. Their first letter says what changed: a node, a hold or a session. */
export const channel = 'pismak_coordination';

/**
 * Deleting the row of a session deletes everything that belongs to it. A place in a queue is also the fence: the first
 * place is the holder, and places only grow. Times are the server's, in milliseconds.
 */
const tables = `
  CREATE TABLE session (name text PRIMARY KEY, expires_at bigint NOT NULL);
  CREATE TABLE node (
    path text PRIMARY KEY,
    parent text NOT NULL,
    value text NOT NULL,
    version bigint NOT NULL,
    owner text REFERENCES session ON DELETE CASCADE
  );
  CREATE INDEX node_parent ON node (parent);
  CREATE INDEX node_owner ON node (owner) WHERE owner IS NOT NULL;
  CREATE TABLE hold (
    place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    path text NOT NULL,
    session text NOT NULL REFERENCES session ON DELETE CASCADE,
    identity text NOT NULL,
    ticket text NOT NULL UNIQUE
  );
  CREATE INDEX hold_line ON hold (path, place);
  CREATE INDEX hold_session ON hold (session);

  CREATE FUNCTION tell_node() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('${channel}', 'n' || coalesce(NEW.path, OLD.path)); RETURN NULL; END $$;
  CREATE TRIGGER node_changed AFTER INSERT OR UPDATE OR DELETE ON node FOR EACH ROW EXECUTE FUNCTION tell_node();
  CREATE FUNCTION tell_hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('${channel}', 'h' || OLD.path); RETURN NULL; END $$;
  CREATE TRIGGER hold_ended AFTER DELETE ON hold FOR EACH ROW EXECUTE FUNCTION tell_hold();
  CREATE FUNCTION tell_session() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_notify('${channel}', 's' || OLD.name); RETURN NULL; END $$;
  CREATE TRIGGER session_ended AFTER DELETE ON session FOR EACH ROW EXECUTE FUNCTION tell_session();
`;

export const schema: PostgresSchema = {
  name: 'pismak_coordination',
  version: 1,
  tables,
  lock: 7_061_736_003,
};
