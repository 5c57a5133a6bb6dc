import { PismakError } from '../../ground/errors.ts';
import type { LastingConnection, Statement } from './lasting-connection.ts';

export interface PostgresSchema {
  name: string;
  version: number;
  /** Statements that create everything in the schema. */
  tables: string;
  /** Upgrades the previous version's tables to these; returns early (PL/pgSQL) while that version still uses them. */
  upgrade?: string;
  /** A lock number that nothing else uses: two processes must not create the tables at once. */
  lock: number;
}

/** Creates the schema if it is missing, or upgrades an older one. Refuses one that a newer version created. */
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
      const text = `The schema ${name} in this database was created by an older version that still uses it; stop all of its processes, then start this one again.`;
      throw new PismakError('unavailable', text);
    }
  }
  if (found === version) return;
  if (found < version) {
    const text = `The schema ${name} in this database was created by a version (${found}) that this one (${version}) can't upgrade. Start the version between them once, then this one.`;
    throw new PismakError('unavailable', text);
  }
  const text = `The schema ${name} in this database was created by a newer version (${found}; this version knows ${version}). Use the newer version.`;
  throw new PismakError('unavailable', text);
}

async function versionOf(connection: LastingConnection, schema: string): Promise<number> {
  const asked = statement(schema, 'version', `SELECT number FROM ${schema}.version`);
  return (await connection.query<[number]>(asked))[0]?.[0] ?? Number.POSITIVE_INFINITY;
}

function statement(schema: string, name: string, text: string): Statement {
  return { name: `${schema}-${name}`, text };
}
