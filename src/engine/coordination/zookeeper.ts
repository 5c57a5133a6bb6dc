import type { Random } from '../ground/identity.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { warnOfListener } from './warn-of-listener.ts';
import { readAddress } from './zookeeper/address.ts';
import { ZookeeperTree } from './zookeeper/tree.ts';

/**
 * Sessions, nodes and holds in a ZooKeeper ensemble (3.6 or newer), under a path:
 *
 *     zookeeper://user:password@zoo1:2181,zoo2:2181,zoo3:2181/pismak
 *     zookeepers://zoo1:2281,zoo2:2281,zoo3:2281/pismak?cacertfile=/etc/pismak/ca.pem
 *
 * With a user, only the same credentials can read and write the nodes. Any will do, unless the servers demand SASL: then
 * they must know the user. `sasl=true` uses SASL though it is not demanded. `zookeepers` is TLS; `certfile` and
 * `keyfile` are for servers that authenticate clients.
 */
export async function openZookeeperCoordination(parts: {
  url: string;
  clock?: Clock;
  random?: Random;
  /** A session ends after this much silence. Servers limit the value. */
  sessionTimeoutMs?: number;
  /** Called with the error when a watch listener throws. */
  report?: (error: unknown) => void;
}): Promise<ZookeeperTree> {
  const { url, clock = systemClock, random = Math.random, sessionTimeoutMs = 10_000 } = parts;
  const { report = warnOfListener } = parts;
  return new ZookeeperTree(await readAddress(url), { clock, random, sessionTimeoutMs, report });
}
