import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { hasCode } from '../../../engine/ground/errors.ts';
import { eventually } from '../../../engine/testing/eventually.ts';
import { startClickHouse } from '../../testing/clickhouse-server.ts';
import { parseClickHouseUrl } from './parse-url.ts';
import { clickHouseServer } from './server.ts';
import { clickHouseContract } from './testing/contract.ts';

/** Histories here; `npm run prove -- statistics` runs more, on replicas that are killed, and on a current ClickHouse. */
const histories = 3;

describe('ClickHouse', async () => {
  const servers = await startClickHouse({ nodes: 2 });
  after(() => servers.close());
  clickHouseContract('ClickHouse', servers, histories);

  test('a question that nobody waits for any more ends in ClickHouse, too', async () => {
    const [first] = servers.nodes;
    assert.ok(first);
    const server = clickHouseServer(first.address, parseClickHouseUrl(servers.urlOf([[first]])));
    const gone = new AbortController();
    const sql = 'SELECT count() FROM system.numbers WHERE number % 7 = 3';
    const asking = server.ask({ sql, signal: gone.signal });
    const running = async () => {
      const listed = await server.ask({ sql: 'SELECT query FROM system.processes' });
      return listed.toString().includes('number % 7 = 3');
    };
    await eventually('the question runs', running);
    gone.abort();
    await assert.rejects(asking);
    await eventually('the question has ended', async () => !(await running()));
  });
});

test('the URL names shards and their replicas, and what is wrong with it is told without the password', () => {
  const { shards, quorum, leastRows, database, user, password } = parseClickHouseUrl(
    'clickhouse://anna:a%2Fb@one,two:9000;three,four/chronicle?rows=10',
  );
  assert.deepEqual(shards, [
    ['one:8123', 'two:9000'],
    ['three:8123', 'four:8123'],
  ]);
  assert.deepEqual([quorum, leastRows, database, user, password], [2, 10, 'chronicle', 'anna', 'a/b']);
  assert.equal(parseClickHouseUrl('clickhouse://one').quorum, 1);
  for (const url of ['clickhouse://anna:top-secret@/x', 'clickhouse://anna:top-secret@one,two/x?quorum=3'])
    assert.throws(
      () => parseClickHouseUrl(url),
      (error) => hasCode(error, 'configuration-invalid') && !/top-secret/.test(error.message),
    );
});
