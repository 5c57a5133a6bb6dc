import { after, before } from 'node:test';
import { startZookeeper, type ZookeeperEnsemble } from '../testing/servers/zookeeper.ts';
import { type CoordinationUnderTest, coordinationContract } from './testing/contract.ts';
import { openZookeeperCoordination } from './zookeeper.ts';

let ensemble: ZookeeperEnsemble;
let trees = 0;

before(async () => {
  ensemble = await startZookeeper();
});
after(() => ensemble.close());

async function create(): Promise<CoordinationUnderTest> {
  const open = () => openZookeeperCoordination({ url, report: () => {} });
  const url = `${ensemble.url}/contract/${++trees}`;
  let tree = await open();
  return {
    open: (identity) => tree.openSession(identity),
    expire: (session) => tree.expire(session.session),
    async restart() {
      await tree.close();
      await ensemble.restart();
      tree = await open();
    },
    close: () => tree.close(),
  };
}

coordinationContract('ZooKeeper', create);
