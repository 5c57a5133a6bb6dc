/** `node --test contract.ts`: what ClickHouse’s adapter promises, on a current ClickHouse. Run by `npm run prove -- statistics`. */
import { after, describe } from 'node:test';
import { clickHouseContract } from '../../../src/statistics/store/clickhouse/testing/contract.ts';
import { startChdb } from './servers.ts';

describe('chdb', async () => {
  const servers = await startChdb(2);
  after(() => servers.close());
  clickHouseContract('chdb', servers, 3);
});
