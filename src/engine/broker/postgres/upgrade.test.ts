import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { hasCode } from '../../ground/errors.ts';
import { sharedPostgres } from '../../testing/servers/shared.ts';
import { systemClock } from '../../time/clock.ts';
import { openPostgresBroker } from '../postgres.ts';
import { drain, publishAll } from '../testing/contract/scene.ts';

let server: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  server = await sharedPostgres();
});
after(() => server.close());

/** Three messages in tables as version 2 had them, where counts are of connections, and no process says where its claims begin. */
async function asInVersionTwo(t: TestContext) {
  const url = await server.createDatabase();
  const broker = await openPostgresBroker({ url, clock: systemClock });
  await broker.declare('letters');
  await publishAll(broker, 'letters', ['a', 'b', 'c']);
  await broker.close();
  const pool = await openPostgresPool({ url, max: 1 });
  t.after(() => pool.close());
  const query = (text: string) => pool.query(text.replaceAll('@', 'pismak_broker.'));
  await query('DROP TRIGGER process_gone ON @process');
  await query('DROP FUNCTION @free_claims, @counted, @this_period');
  await query('ALTER TABLE @process DROP first_round');
  await query('ALTER TABLE @counts DROP since, DROP period, ADD PRIMARY KEY (queue, shard)');
  await query('UPDATE @version SET number = 2');
  await query(`INSERT INTO @claim SELECT 99, 1, ARRAY[seq] FROM @message WHERE id = 'a'`);
  await query(`INSERT INTO @running SELECT seq, 99, queue, lane, 1 FROM @message WHERE id = 'a'`);
  return { url, query };
}

test('tables of the version before are taken over with all that is in them', async (t) => {
  const { url } = await asInVersionTwo(t);
  const broker = await openPostgresBroker({ url, clock: systemClock });
  t.after(() => broker.close());
  assert.equal((await broker.status('letters')).ready.normal, 3);
  const came = await drain(broker, 'letters', 3);
  assert.deepEqual(
    came.map(({ id, attempt }) => [id, attempt]),
    [
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ],
  );
});

test('while a process of the version before lives, its tables are left alone', async (t) => {
  const { url, query } = await asInVersionTwo(t);
  await query('INSERT INTO @process (lease_until) VALUES (@now_ms() + 600000)');
  await assert.rejects(openPostgresBroker({ url, clock: systemClock }), (error) => {
    return hasCode(error, 'unavailable') && /older version .* stop all of its processes/.test(error.message);
  });
  assert.equal((await query('SELECT 1 FROM @running')).rows.length, 1);
});

test('tables that are older by two versions are refused, with what to do', async (t) => {
  const { url, query } = await asInVersionTwo(t);
  await query('UPDATE @version SET number = 1');
  await assert.rejects(
    openPostgresBroker({ url, clock: systemClock }),
    /Start the version between them once/,
  );
});
