import { PismakError } from '../../errors.ts';
import type { LastingConnection, Statement } from './lasting-connection.ts';

export interface PostgresSchema {
  name: string;
  version: number;
  /** Statements that make everything in the schema. */
  tables: string;
  /** Makes these tables of those of the version before; returns (PL/pgSQL) while that one is still at work on them. */
  upgrade?: string;
  /** Any number that no one else takes: two processes must not make the tables at once. */
  lock: number;
}

/** Makes the schema unless it is there, or what it was before into it; refuses one that a newer version has made. */
export async function prepareSchema(connection: LastingConnection, schema: PostgresSchema): Promise<void> {
  const { name, version, tables, lock } = schema;
  const missing = `to_regclass('${name}.version') IS NULL`;
  const [row] = await connection.query<[boolean]>(statement(name, 'missing', `SELECT ${missing}`));
  if (row?.[0]) {
    const create = `DO $create$ BEGIN IF ${missing} THEN
      CREATE SCHEMA ${name};
      SET LOCAL search_path = ${name};
      CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS
        $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
      ${tables}
      CREATE TABLE version (number int NOT NULL);
      INSERT INTO version VALUES (${version});
    END IF; END $create$`;
    await connection.together([
      [statement(name, 'lock', `SELECT pg_advisory_xact_lock(${lock})`), []],
      [statement(name, 'create', create), []],
    ]);
  }
  let found = await versionOf(connection, name);
  if (found === version - 1 && schema.upgrade) {
    const upgrade = `DO $upgrade$ BEGIN IF (SELECT number FROM ${name}.version) = ${found} THEN
      SET LOCAL search_path = ${name};
      ${schema.upgrade}
      UPDATE version SET number = ${version};
    END IF; END $upgrade$`;
    await connection.together([
      [statement(name, 'lock', `SELECT pg_advisory_xact_lock(${lock})`), []],
      [statement(name, 'upgrade', upgrade), []],
    ]);
    found = await versionOf(connection, name);
    if (found === version - 1) {
      const text = `The schema ${name} in this database was made by an older version that is still at work on it: stop all of its processes, then start this one again.`;
      throw new PismakError('unavailable', text);
    }
  }
  if (found <= version) return;
  const text = `The schema ${name} in this database was made by a newer version (${found}, we know ${version}): use that one.`;
  throw new PismakError('unavailable', text);
}

async function versionOf(connection: LastingConnection, schema: string): Promise<number> {
  const asked = statement(schema, 'version', `SELECT number FROM ${schema}.version`);
  return (await connection.query<[number]>(asked))[0]?.[0] ?? Number.POSITIVE_INFINITY;
}

function statement(schema: string, name: string, text: string): Statement {
  return { name: `${schema}-${name}`, text };
}
