import type pg from 'pg';
import { noteFullServer } from '../../disk/full-servers.ts';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { type PostgresAddress, type PostgresHost, readAddress } from './address.ts';
import { clientOptions, clientThatEnds, durableCommits, loadPg, type PgModule } from './driver.ts';
import { diskFullState } from './errors.ts';
import { findPrimary, timelineOf } from './primary.ts';

/** The servers of a URL. Finds the primary, and never an old primary from before a fail-over. */
export class PostgresCluster {
  readonly pg: PgModule;
  /** The class that creates connections. */
  readonly Client: ReturnType<typeof clientThatEnds>;
  readonly #address: PostgresAddress;
  /** The newest timeline seen. A server with an older timeline was primary before a fail-over. */
  #newest = 0;

  static async open(url: string, clock: Clock = systemClock): Promise<PostgresCluster> {
    const address = await readAddress(url);
    return new PostgresCluster(await loadPg(), url, address, clock);
  }

  private constructor(pgModule: PgModule, url: string, address: PostgresAddress, clock: Clock) {
    this.pg = pgModule;
    this.Client = clientThatEnds(pgModule, clock, (state) => {
      if (state === diskFullState) noteFullServer(url);
    });
    this.#address = address;
  }

  /** The current primary. Throws `unavailable` if there is none. */
  async primary(): Promise<PostgresHost> {
    const { host, timeline } = await findPrimary(this.pg, this.#address, this.#newest);
    this.#see(timeline);
    return host;
  }

  /** Whether this server still answers as primary, over a fresh connection. */
  async isPrimary(host: PostgresHost): Promise<boolean> {
    const found = await findPrimary(this.pg, { ...this.#address, hosts: [host] }).catch(() => undefined);
    return found !== undefined && found.timeline >= this.#newest;
  }

  clientOptions(host: PostgresHost): pg.ClientConfig {
    return clientOptions(this.pg, this.#address, host);
  }

  /** Call this on every new connection before use: a fail-over may have happened since the server was found. */
  async admit(client: pg.ClientBase): Promise<void> {
    this.#see(await timelineOf(client));
    await client.query(durableCommits);
  }

  #see(timeline: number): void {
    if (timeline < this.#newest) {
      throw new PismakError('unavailable', 'This PostgreSQL server was primary before a fail-over.');
    }
    this.#newest = timeline;
  }
}
