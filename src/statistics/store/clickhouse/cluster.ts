import { PismakError } from '../../../engine/ground/errors.ts';
import type { ClickHousePlace } from './parse-url.ts';
import { type Ask, ClickHouseError, type ClickHouseServer, clickHouseServer } from './server.ts';

/** One shard: servers with the same rows. */
export interface Shard {
  readonly replicas: readonly ClickHouseServer[];
  /** Asks one replica after the other until one answers, and remembers which one did. */
  ask(ask: Ask): Promise<Buffer>;
  /** From now on this replica is asked first. */
  prefer(replica: ClickHouseServer): void;
}

export interface Cluster {
  readonly shards: readonly Shard[];
  /** One answer of each shard. */
  everywhere(ask: Ask): Promise<Buffer[]>;
}

/** Error codes of invalid statements: every replica would answer the same. */
const ownMistakes = new Set([46, 47, 62, 497]);

/** The servers are asked directly, so ClickHouse needs no configuration except for replication. */
export function openCluster(place: ClickHousePlace): Cluster {
  const shards = place.shards.map((addresses) =>
    openShard(addresses.map((address) => clickHouseServer(address, place))),
  );
  return { shards, everywhere: (ask) => Promise.all(shards.map((shard) => shard.ask(ask))) };
}

function openShard(replicas: readonly ClickHouseServer[]): Shard {
  let order = [...replicas];
  const prefer = (replica: ClickHouseServer) => {
    order = [replica, ...order.filter((one) => one !== replica)];
  };
  return {
    replicas,
    prefer,
    async ask(ask) {
      let failure: unknown;
      for (const replica of order) {
        try {
          const answer = await replica.ask(ask);
          if (order[0] !== replica) prefer(replica);
          return answer;
        } catch (error) {
          ask.signal?.throwIfAborted();
          if (error instanceof ClickHouseError && ownMistakes.has(error.code)) throw error;
          failure = error;
        }
      }
      throw unavailable(replicas, failure);
    },
  };
}

export function unavailable(replicas: readonly ClickHouseServer[], cause: unknown): PismakError {
  const names = replicas.map(({ address }) => address).join(', ');
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PismakError('unavailable', `no ClickHouse of ${names} answers: ${why}`, { cause });
}
