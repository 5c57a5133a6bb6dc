import { PismakError } from '../errors.ts';
import type { PostgresLine, Statement } from './postgres-line.ts';

export interface PostgresSchema {
  name: string;
  version: number;
  /** Statements that make everything in the schema. */
  tables: string;
  /** Any number that no one else takes: two processes must not make the tables at once. */
  lock: number;
}

/** Makes the schema unless it is there; refuses one that a newer version has made. */
export async function prepareSchema(line: PostgresLine, schema: PostgresSchema): Promise<void> {
  const { name, version, tables, lock } = schema;
  const missing = `to_regclass('${name}.version') IS NULL`;
  const [row] = await line.query<[boolean]>(statement(name, 'missing', `SELECT ${missing}`));
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
    await line.together([
      [statement(name, 'lock', `SELECT pg_advisory_xact_lock(${lock})`), []],
      [statement(name, 'create', create), []],
    ]);
  }
  const [found] = await line.query<[number]>(
    statement(name, 'version', `SELECT number FROM ${name}.version`),
  );
  if (found && found[0] <= version) return;
  const text = `The schema ${name} in this database was made by a newer version (${found?.[0]}, we know ${version}): use that one.`;
  throw new PismakError('unavailable', text);
}

function statement(schema: string, name: string, text: string): Statement {
  return { name: `${schema}-${name}`, text };
}
