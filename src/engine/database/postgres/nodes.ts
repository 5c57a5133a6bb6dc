import type pg from 'pg';
import { PismakError } from '../../errors.ts';
import type { Clock } from '../../time/clock.ts';
import { clientOptions, clientThatEnds, loadPg, type PgModule } from './driver.ts';
import { findPrimary } from './primary.ts';
import { type PostgresAddress, parsePostgresUrl } from './url.ts';

/** Where lines lead: the node that takes writes, and never one that a fail-over has left behind. */
export class PostgresNodes {
  readonly #pg: PgModule;
  readonly #Client: ReturnType<typeof clientThatEnds>;
  readonly #address: PostgresAddress;
  #newest = 0;

  constructor(pgModule: PgModule, address: PostgresAddress, clock: Clock) {
    this.#pg = pgModule;
    this.#Client = clientThatEnds(pgModule, clock);
    this.#address = address;
  }

  /** A client for the primary, not connected yet, that sends what it is asked without waiting for earlier answers. */
  async client(settings: Readonly<Record<string, string>>): Promise<pg.Client> {
    const { host, timeline } = await findPrimary(this.#pg, this.#address, this.#newest);
    if (timeline < this.#newest) {
      const text = 'The only node of PostgreSQL that answers was primary before a fail-over';
      throw new PismakError('unavailable', text);
    }
    this.#newest = timeline;
    const config = clientOptions(this.#pg, this.#address, host);
    const set = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    return new this.#Client({
      ...config,
      options: [config.options, ...set].join(' '),
      pipeline: true,
    });
  }
}

export async function postgresNodes(url: string, clock: Clock): Promise<PostgresNodes> {
  return new PostgresNodes(await loadPg(), await parsePostgresUrl(url), clock);
}
