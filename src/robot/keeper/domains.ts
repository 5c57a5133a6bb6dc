import { sql } from 'kysely';
import { type Columns, rowsOf } from '../database/rows-of.ts';
import { type Database, type DomainRow, domainIds, type Queries } from '../database/tables.ts';
import type { Rules } from '../politeness/rules.ts';
import { Undo } from './undo.ts';

/** A domain of the crawl, in memory, without the text of robots.txt, which is read on use. */
export interface Domain extends Omit<DomainRow, 'crawl' | 'addresses' | 'robots' | 'tdm'> {
  addresses: string[];
}

/** All domains of a crawl. Only the keeper writes them, so memory and table agree after every transaction. */
export class Domains {
  readonly #byId = new Map<number, Domain>();
  readonly #byOrigin = new Map<string, Domain>();
  /** Domains with queued requests. */
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
    return domainIds(this.#crawl).from;
  }

  get to(): number {
    return domainIds(this.#crawl).to;
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

  /** Changes a domain in memory; the next `save` writes it. */
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

  /** Domains with queued requests. */
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

/** Addresses, robots.txt and tdmrep.json are asked for again after a day. */
export const freshMs = 24 * 60 * 60_000;

export function needsRobots(domain: Domain, now: number): boolean {
  return now - domain.robotsAt > freshMs;
}

export function needsTdm(domain: Domain, now: number): boolean {
  return now - domain.tdmAt > freshMs;
}

/** Milliseconds between two requests to a domain. After a slow answer the robot pauses for as long as the answer took. */
export function delayOf({ crawlDelayMs, meanMs }: Domain, { reqDelayMs }: Rules): number {
  if (reqDelayMs === 0 && crawlDelayMs === 0) return 0;
  const slowMs = meanMs > 2_000 ? Math.min(meanMs, 30_000) : 0;
  return Math.round(Math.max(reqDelayMs, crawlDelayMs, slowMs));
}
