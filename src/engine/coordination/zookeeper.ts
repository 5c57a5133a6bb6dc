import { PismakError } from '../errors.ts';
import type { Random } from '../identity.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import type { Coordination } from './coordination.ts';
import { warnOfListener } from './warn-of-listener.ts';
import { parseAddress } from './zookeeper/address.ts';
import { ZookeeperClient } from './zookeeper/client.ts';
import { Names } from './zookeeper/names.ts';
import { ZookeeperSession } from './zookeeper/session.ts';

export interface ZookeeperTree {
  /** Rejects with `unavailable` when no server answers within the session's time-out. */
  openSession(identity: string): Promise<Coordination>;
  /** Ends a session as if nothing had been heard of it for too long. */
  expire(session: string): Promise<void>;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/**
 * Sessions, nodes and holds in a ZooKeeper ensemble (3.6 or newer), under a path of their own:
 *
 *     zookeeper://user:password@zoo1:2181,zoo2:2181,zoo3:2181/pismak
 *     zookeepers://zoo1:2281,zoo2:2281,zoo3:2281/pismak?cacertfile=/etc/pismak/ca.pem
 *
 * With a user, nodes can be read and written only with the same credentials. `zookeepers` is TLS; `certfile` and
 * `keyfile` are there for servers that want to know the client.
 */
export async function openZookeeperCoordination(parts: {
  url: string;
  clock?: Clock;
  random?: Random;
  /** Silence for so long ends a session; servers have limits of their own for it. */
  sessionTimeoutMs?: number;
  /** Told when a listener of a watch throws. */
  report?: (error: unknown) => void;
}): Promise<ZookeeperTree> {
  const { url, clock = systemClock, random = Math.random, sessionTimeoutMs = 10_000 } = parts;
  const { report = warnOfListener } = parts;
  const address = await parseAddress(url);
  const names = new Names(address.root, address.credentials !== undefined);
  const clients = new Map<string, ZookeeperClient>();
  let closed = false;

  return {
    async openSession(identity) {
      const client = await ZookeeperClient.open({ address, clock, random, sessionTimeoutMs });
      if (closed) await client.close();
      client.checkOpen();
      const session = new ZookeeperSession({ client, names, identity, clock, report });
      clients.set(session.session, client);
      client.ended.addEventListener('abort', () => clients.delete(session.session), { once: true });
      return session;
    },
    async expire(name) {
      const client = clients.get(name);
      if (!client) throw new PismakError('not-found', `There is no session ${name}`);
      await client.expire();
    },
    async close() {
      closed = true;
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}
