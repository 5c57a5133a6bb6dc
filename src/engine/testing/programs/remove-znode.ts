import { readAddress } from '../../coordination/zookeeper/address.ts';
import { ZookeeperClient } from '../../coordination/zookeeper/client.ts';
import { remove } from '../../coordination/zookeeper/requests.ts';
import { systemClock } from '../../time/clock.ts';

/** Removes a znode, as an administrator would: arguments are the URL and the znode's path. */
const [url = '', znode = ''] = process.argv.slice(2);
const address = await readAddress(url);
const client = await ZookeeperClient.open({
  address,
  clock: systemClock,
  random: () => 0,
  sessionTimeoutMs: 6000,
});
await client.request(remove(znode));
await client.close();
