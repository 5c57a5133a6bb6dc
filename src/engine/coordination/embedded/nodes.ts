import type { Queries } from '../../database/database.ts';
import type { Node } from '../coordination.ts';
import { nodeChanged, nodeExists } from '../errors.ts';
import { nameOf, parentOf } from '../path.ts';
import { Watches } from '../watches.ts';

interface Entry {
  value: string;
  version: number;
  /** The session of an ephemeral node; undefined for a persistent node. */
  session: string | undefined;
}

/** The nodes in memory. Persistent ones are written to the database first, so that no visible state is ever lost. */
export class EmbeddedNodes {
  readonly #queries: Queries;
  readonly #entries = new Map<string, Entry>();
  readonly #children = new Map<string, Set<string>>();
  readonly watches: Watches;

  constructor(queries: Queries, report: (error: unknown) => void) {
    this.#queries = queries;
    this.watches = new Watches(this, report);
  }

  async load(): Promise<void> {
    const rows = await this.#queries.selectFrom('coordinationNode').selectAll().execute();
    for (const { path, value, version } of rows) this.#keep(path, { value, version, session: undefined });
  }

  get(path: string): Node | undefined {
    const entry = this.#entries.get(path);
    if (!entry) return undefined;
    const { value, version, session } = entry;
    return { path, name: nameOf(path), value, version, ephemeral: session !== undefined };
  }

  children(parent: string): Node[] {
    const paths = [...(this.#children.get(parent) ?? [])].sort();
    return paths.map((path) => this.get(path)).filter((node) => node !== undefined);
  }

  async create(path: string, value: string, session: string | undefined): Promise<Node> {
    if (this.#entries.has(path)) throw nodeExists(path);
    return this.#write(path, { value, version: 1, session });
  }

  async set(path: string, value: string, expected: number | undefined): Promise<Node> {
    const before = this.#entries.get(path);
    checkVersion(path, before, expected);
    return this.#write(path, { value, version: (before?.version ?? 0) + 1, session: before?.session });
  }

  async delete(path: string, expected: number | undefined): Promise<void> {
    const entry = this.#entries.get(path);
    checkVersion(path, entry, expected);
    if (!entry) return;
    if (entry.session === undefined) {
      await this.#queries.deleteFrom('coordinationNode').where('path', '=', path).execute();
    }
    this.#forget(path);
  }

  forgetEphemeral(session: string): void {
    for (const [path, entry] of this.#entries) if (entry.session === session) this.#forget(path);
  }

  async #write(path: string, entry: Entry): Promise<Node> {
    const { value, version, session } = entry;
    if (session === undefined) {
      await this.#queries
        .insertInto('coordinationNode')
        .values({ path, value, version })
        .onConflict((conflict) => conflict.column('path').doUpdateSet({ value, version }))
        .execute();
    }
    this.#keep(path, entry);
    return { path, name: nameOf(path), value, version, ephemeral: session !== undefined };
  }

  #keep(path: string, entry: Entry): void {
    this.#entries.set(path, entry);
    const parent = parentOf(path);
    const siblings = this.#children.get(parent) ?? new Set();
    this.#children.set(parent, siblings.add(path));
    this.watches.nodeChanged(path);
  }

  #forget(path: string): void {
    this.#entries.delete(path);
    const siblings = this.#children.get(parentOf(path));
    siblings?.delete(path);
    if (siblings?.size === 0) this.#children.delete(parentOf(path));
    this.watches.nodeChanged(path);
  }
}

function checkVersion(path: string, entry: Entry | undefined, expected: number | undefined): void {
  if (expected === undefined || entry?.version === expected) return;
  throw nodeChanged(path, expected, entry?.version ?? null);
}
