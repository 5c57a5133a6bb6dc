import type { LastingConnection, Statement } from '../../database/postgres/lasting-connection.ts';
import type { Hold, Node, WriteOptions } from '../coordination.ts';
import { holdLost, nodeChanged, nodeExists, sessionExpired } from '../errors.ts';
import { nameOf, parentOf } from '../path.ts';

const columns = 'path, value, version, owner IS NOT NULL';
type NodeRow = [path: string, value: string, version: number, ephemeral: boolean];
/** What a write found, and what it wrote (nulls if it was refused). */
type WriteRow = [
  alive: number,
  held: number,
  found: number | null,
  version: number | null,
  ephemeral: boolean | null,
];

const get: Statement = { name: 'get', text: `SELECT ${columns} FROM node WHERE path = $1` };
const children: Statement = { name: 'children', text: `SELECT ${columns} FROM node WHERE parent = $1` };

/**
 * Before a write: the session ($1) exists, and so does the hold ($2) if one is named. Both stay locked until the write
 * commits, so the next holder comes after it. The session is locked first, as by the statement that ends a session: the
 * other order could deadlock.
 */
const guard = `
  WITH alive AS MATERIALIZED (SELECT 1 FROM session WHERE name = $1 FOR KEY SHARE),
  held AS MATERIALIZED (
    SELECT 1 FROM hold WHERE place = $2::bigint AND session = $1 AND EXISTS (SELECT FROM alive) FOR KEY SHARE),
  allowed AS MATERIALIZED (SELECT 1 FROM alive WHERE $2::bigint IS NULL OR EXISTS (SELECT FROM held)),
  found AS MATERIALIZED (SELECT version FROM node WHERE path = $3)`;
const answer = `
  SELECT (SELECT count(*) FROM alive), (SELECT count(*) FROM held), (SELECT version FROM found), written.version, ephemeral
  FROM (VALUES (1)) AS always LEFT JOIN written ON true`;
const returning = 'RETURNING version, owner IS NOT NULL AS ephemeral';

const create: Statement = {
  name: 'create',
  text: `${guard}, written AS (
      INSERT INTO node (path, parent, value, version, owner)
      SELECT $3, $4, $5, 1, CASE WHEN $6::boolean THEN $1 END FROM allowed ON CONFLICT (path) DO NOTHING ${returning})
    ${answer}`,
};
const set: Statement = {
  name: 'set',
  text: `${guard}, written AS (
      INSERT INTO node (path, parent, value, version) SELECT $3, $4, $5, 1 FROM allowed
      ON CONFLICT (path) DO UPDATE SET value = excluded.value, version = node.version + 1 ${returning})
    ${answer}`,
};
const replace: Statement = {
  name: 'replace',
  text: `${guard}, written AS (
      UPDATE node SET value = $4, version = version + 1
      WHERE path = $3 AND version = $5 AND EXISTS (SELECT FROM allowed) ${returning})
    ${answer}`,
};
const remove: Statement = {
  name: 'delete',
  text: `${guard}, written AS (
      DELETE FROM node WHERE path = $3 AND ($4::bigint IS NULL OR version = $4) AND EXISTS (SELECT FROM allowed) ${returning})
    ${answer}`,
};

/** The nodes in the table. Every write is one statement, with all its conditions inside. */
export class PostgresNodes {
  readonly #connection: LastingConnection;

  constructor(connection: LastingConnection) {
    this.#connection = connection;
  }

  async get(path: string): Promise<Node | undefined> {
    const [row] = await this.#connection.query<NodeRow>(get, [path]);
    return row && nodeOf(row);
  }

  async children(parent: string): Promise<Node[]> {
    const rows = await this.#connection.query<NodeRow>(children, [parent]);
    return rows.map(nodeOf).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async create(session: string, path: string, value: string, ephemeral: boolean): Promise<Node> {
    const written = await this.#write(create, session, undefined, path, [parentOf(path), value, ephemeral]);
    if (written.version === null) throw nodeExists(path);
    return nodeOf([path, value, written.version, ephemeral]);
  }

  async set(session: string, path: string, value: string, { version, under }: WriteOptions): Promise<Node> {
    const written =
      version === undefined
        ? await this.#write(set, session, under, path, [parentOf(path), value])
        : await this.#write(replace, session, under, path, [value, version]);
    if (written.version === null) throw nodeChanged(path, version, written.found);
    return nodeOf([path, value, written.version, written.ephemeral === true]);
  }

  async delete(session: string, path: string, { version, under }: WriteOptions): Promise<void> {
    const written = await this.#write(remove, session, under, path, [version ?? null]);
    if (version !== undefined && written.version === null) throw nodeChanged(path, version, written.found);
  }

  async #write(
    statement: Statement,
    session: string,
    under: Hold | undefined,
    path: string,
    values: readonly unknown[],
  ) {
    const asked = [session, under?.fence ?? null, path, ...values];
    const [row] = await this.#connection.query<WriteRow>(statement, asked);
    const [alive = 0, held = 0, found = null, version = null, ephemeral = null] = row ?? [];
    if (alive === 0) throw sessionExpired(session);
    if (under && held === 0) throw holdLost(under);
    return { found, version, ephemeral };
  }
}

function nodeOf([path, value, version, ephemeral]: NodeRow): Node {
  return { path, name: nameOf(path), value, version, ephemeral };
}
