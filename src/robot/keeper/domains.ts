import { sql } from 'kysely';
import { type Columns, rowsOf } from '../database/rows-of.ts';
import type { Database, DomainRow, Queries } from '../database/tables.ts';
import { Undo } from './undo.ts';

/** A domain of the crawl, in memory. Without the text of robots.txt, which is read when it is needed. */
export interface Domain extends Omit<DomainRow, 'crawl' | 'addresses' | 'robots' | 'tdm'> {
  addresses: string[];
}

/** Room for this many domains in a crawl. */
const domainsPerCrawl = 2 ** 32;

/** All domains of a crawl. The keeper is the only writer, so memory and table agree after every transaction. */
export class Domains {
  readonly #byId = new Map<number, Domain>();
  readonly #byOrigin = new Map<string, Domain>();
  /** Those with something to do: requests that wait, or an address to find. */
  readonly #busy = new Set<Domain>();
  readonly #changed = new Set<Domain>();
  readonly #created: Domain[] = [];
  readonly #crawl: number;
  readonly #dialect: Database['dialect'];
  readonly #undo: Undo;
  #next: number;

  constructor(crawl: number, dialect: Database['dialect'], undo = new Undo()) {
    this.#undo = undo;
    this.#crawl = crawl;
    this.#dialect = dialect;
    this.#next = this.from;
  }

  /** Ids of this crawl's domains lie in [from, to). */
  get from(): number {
    return this.#crawl * domainsPerCrawl;
  }

  get to(): number {
    return this.from + domainsPerCrawl;
  }

  get size(): number {
    return this.#byId.size;
  }

  async load(queries: Queries): Promise<void> {
    const columns = [
      'id',
      'origin',
      'host',
      'state',
      'addresses',
      'resolvedAt',
      'robotsAt',
      'crawlDelayMs',
    ] as const;
    const counts = [
      'blockedUntil',
      'blockLevel',
      'queued',
      'fetched',
      'words',
      'bytes',
      'meanMs',
      'problem',
      'tdmAt',
    ] as const;
    for (let after = this.from - 1; ; ) {
      const rows = await queries
        .selectFrom('robot_domain')
        .select([...columns, ...counts])
        .where('crawl', '=', this.#crawl)
        .where('id', '>', after)
        .orderBy('id')
        .limit(10_000)
        .execute();
      for (const row of rows)
        this.#keep({ ...row, tdmAt: Number(row.tdmAt), addresses: JSON.parse(row.addresses) as string[] });
      const last = rows.at(-1);
      if (!last) return;
      after = last.id;
      this.#next = last.id + 1;
    }
  }

  get(id: number): Domain {
    const domain = this.#byId.get(id);
    if (!domain) throw new Error(`domain ${id} is not of crawl ${this.#crawl}`);
    return domain;
  }

  find(origin: string): Domain | undefined {
    return this.#byOrigin.get(origin);
  }

  findOrCreate(origin: string, host: string): Domain {
    const known = this.#byOrigin.get(origin);
    if (known) return known;
    const domain: Domain = {
      id: this.#next++,
      origin,
      host,
      state: 'new',
      addresses: [],
      resolvedAt: 0,
      robotsAt: 0,
      crawlDelayMs: 0,
      blockedUntil: 0,
      blockLevel: 0,
      queued: 0,
      fetched: 0,
      words: 0,
      bytes: 0,
      meanMs: 0,
      problem: null,
      tdmAt: 0,
    };
    this.#keep(domain);
    this.#created.push(domain);
    this.#undo.record(() => this.#forget(domain));
    return domain;
  }

  /** Changes a domain; written by the next `save`. */
  change(domain: Domain, changes: Partial<Omit<Domain, 'id' | 'origin' | 'host'>>): void {
    const before = { ...domain };
    this.#undo.record(() => {
      Object.assign(domain, before);
      this.#changed.delete(domain);
      this.#sort(domain);
    });
    Object.assign(domain, changes);
    this.#changed.add(domain);
    this.#sort(domain);
  }

  addQueued(counts: ReadonlyMap<number, number>, sign: 1 | -1 = 1): void {
    for (const [id, count] of counts) {
      const domain = this.get(id);
      this.change(domain, { queued: domain.queued + sign * count });
    }
  }

  /** Domains with requests that wait. */
  busy(): ReadonlySet<Domain> {
    return this.#busy;
  }

  all(): Iterable<Domain> {
    return this.#byId.values();
  }

  async save(transaction: Queries): Promise<void> {
    const dialect = this.#dialect;
    if (this.#created.length > 0) {
      const rows = this.#created.map(({ id, origin, host }) => [id, origin, host]);
      const columns: Columns = { id: 'bigint', origin: 'text', host: 'text' };
      await sql`INSERT INTO "robot_domain" ("id", "crawl", "origin", "host", "state")
        SELECT "id", ${this.#crawl}, "origin", "host", 'new' FROM ${rowsOf(dialect, columns, rows)} AS "new"`.execute(
        transaction,
      );
    }
    if (this.#changed.size > 0) {
      const rows = [...this.#changed].map((domain) => [
        domain.id,
        domain.state,
        JSON.stringify(domain.addresses),
        domain.resolvedAt,
        domain.robotsAt,
        domain.crawlDelayMs,
        domain.blockedUntil,
        domain.blockLevel,
        domain.queued,
        domain.fetched,
        domain.words,
        domain.bytes,
        domain.meanMs,
        domain.problem,
        domain.tdmAt,
      ]);
      const columns: Columns = {
        id: 'bigint',
        state: 'text',
        addresses: 'text',
        resolvedAt: 'bigint',
        robotsAt: 'bigint',
        crawlDelayMs: 'bigint',
        blockedUntil: 'bigint',
        blockLevel: 'bigint',
        queued: 'bigint',
        fetched: 'bigint',
        words: 'bigint',
        bytes: 'bigint',
        meanMs: 'double precision',
        problem: 'text',
        tdmAt: 'bigint',
      };
      await sql`UPDATE "robot_domain" SET "state" = "new"."state", "addresses" = "new"."addresses",
          "resolvedAt" = "new"."resolvedAt", "robotsAt" = "new"."robotsAt", "crawlDelayMs" = "new"."crawlDelayMs",
          "blockedUntil" = "new"."blockedUntil", "blockLevel" = "new"."blockLevel", "queued" = "new"."queued",
          "fetched" = "new"."fetched", "words" = "new"."words", "bytes" = "new"."bytes", "meanMs" = "new"."meanMs",
          "problem" = "new"."problem", "tdmAt" = "new"."tdmAt"
        FROM ${rowsOf(dialect, columns, rows)} AS "new" WHERE "robot_domain"."id" = "new"."id"`.execute(
        transaction,
      );
    }
    this.#created.length = 0;
    this.#changed.clear();
  }

  #sort(domain: Domain): void {
    if (domain.queued > 0) this.#busy.add(domain);
    else this.#busy.delete(domain);
  }

  #forget(domain: Domain): void {
    this.#byId.delete(domain.id);
    this.#byOrigin.delete(domain.origin);
    this.#busy.delete(domain);
    this.#created.length = 0;
    this.#next = domain.id;
  }

  #keep(domain: Domain): void {
    this.#byId.set(domain.id, domain);
    this.#byOrigin.set(domain.origin, domain);
    this.#sort(domain);
  }
}
