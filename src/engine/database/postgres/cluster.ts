import type pg from 'pg';
import { PismakError } from '../../errors.ts';
import { type Clock, systemClock } from '../../time/clock.ts';
import { type PostgresAddress, type PostgresHost, readAddress } from './address.ts';
import { clientOptions, clientThatEnds, durableCommits, loadPg, type PgModule } from './driver.ts';
import { findPrimary, timelineOf } from './primary.ts';

/** The nodes of a URL. Leads to the one that takes writes, and never to one that a fail-over has left behind. */
export class PostgresCluster {
  readonly pg: PgModule;
  /** What connections are made with. */
  readonly Client: ReturnType<typeof clientThatEnds>;
  readonly #address: PostgresAddress;
  /** The newest timeline that was seen: what has an older one was primary before a fail-over. */
  #newest = 0;

  static async open(url: string, clock: Clock = systemClock): Promise<PostgresCluster> {
    const address = await readAddress(url);
    return new PostgresCluster(await loadPg(), address, clock);
  }

  private constructor(pgModule: PgModule, address: PostgresAddress, clock: Clock) {
    this.pg = pgModule;
    this.Client = clientThatEnds(pgModule, clock);
    this.#address = address;
  }

  /** The node that takes writes at the moment; `unavailable` when there is none. */
  async primary(): Promise<PostgresHost> {
    const { host, timeline } = await findPrimary(this.pg, this.#address, this.#newest);
    this.#see(timeline);
    return host;
  }

  /** Whether this node still answers as primary, asked over a connection of its own. */
  async isPrimary(host: PostgresHost): Promise<boolean> {
    const found = await findPrimary(this.pg, { ...this.#address, hosts: [host] }).catch(() => undefined);
    return found !== undefined && found.timeline >= this.#newest;
  }

  clientOptions(host: PostgresHost): pg.ClientConfig {
    return clientOptions(this.pg, this.#address, host);
  }

  /** To be done on every new connection before it is used: since it was looked at, the node may have been left behind. */
  async admit(client: pg.ClientBase): Promise<void> {
    this.#see(await timelineOf(client));
    await client.query(durableCommits);
  }

  #see(timeline: number): void {
    if (timeline < this.#newest) {
      throw new PismakError('unavailable', 'This node of PostgreSQL was primary before a fail-over');
    }
    this.#newest = timeline;
  }
}
