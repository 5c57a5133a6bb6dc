import assert from 'node:assert/strict';
import { after, describe, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { openDatabase } from '../database/open.ts';
import { eventually } from '../testing/eventually.ts';
import { startPostgres } from '../testing/servers/postgres.ts';
import { systemClock as clock } from '../time/clock.ts';
import { everythingChanged, keptChanges } from './change-log.ts';
import { openChanges } from './open-changes.ts';
import { changeLogContract, listen } from './testing/contract.ts';

const server = await startPostgres();
after(() => server.close());
const log = pino({ level: 'silent' });

async function create(context: TestContext) {
  const url = await server.createDatabase();
  return async (follow = true) => {
    const database = await openDatabase(url, { file: '', clock });
    const changes = await openChanges({ database, clock, log, follow });
    const close = async () => {
      await changes.close();
      await database.close();
    };
    context.after(close);
    return Object.assign(changes, { database });
  };
}

changeLogContract('PostgreSQL', async (context) => {
  const open = await create(context);
  return () => open();
});

describe('the list of changes in PostgreSQL', () => {
  test('a process that starts later tells its clients what came before it', async (context) => {
    const open = await create(context);
    const here = await open();
    const heard = listen(here);
    for (const entity of ['one', 'two', 'three']) here.add({ kind: 'stage', entity });
    await eventually('all have come', () => heard.length === 3);
    const there = await open();
    assert.deepEqual(
      there.since(Number(heard[0]?.id))?.map(({ entity }) => entity),
      ['two', 'three'],
    );
    assert.equal(there.since(Number(heard[0]?.id) - 1), undefined, 'it may have missed some');
  });

  test('a process without clients, such as a worker, tells the others and loses nothing when it stops', async (context) => {
    const open = await create(context);
    const heard = listen(await open());
    const worker = await open(false);
    worker.add({ kind: 'stage', entity: 'of a worker' });
    worker.addJoined({ kind: 'stage', entity: 'joined', data: { count: 1 } });
    worker.addJoined({ kind: 'stage', entity: 'joined', data: { count: 2 } });
    await worker.close();
    await eventually('all have come', () => heard.length === 3);
    assert.deepEqual(heard.at(-1)?.data, { count: 2 });
  });

  test('numbers go on after a fail-over that forgot the latest', async (context) => {
    const open = await create(context);
    const here = await open();
    const heard = listen(here);
    here.add({ kind: 'stage', entity: 'one' });
    await eventually('it has come', () => heard.length === 1);
    const last = here.lastId;
    await here.database.query.deleteFrom('change').execute();
    await here.database.query.deleteFrom('changeCount').execute();
    here.add({ kind: 'stage', entity: 'two' });
    await eventually('it has come', () => heard.length === 2);
    assert.ok(here.lastId > last);
  });

  test('the table keeps the latest only', async (context) => {
    const open = await create(context);
    const here = await open();
    const heard = listen(here);
    for (let round = 1; round <= 8; round++) {
      for (let count = 0; count < 1000; count++) here.add({ kind: 'stage', entity: 'busy' });
      await eventually('they have come', () => heard.length === round * 1000);
    }
    const rows = () => here.database.query.selectFrom('change').select('id').execute();
    await eventually('the oldest are deleted', async () => (await rows()).length <= keptChanges);
  });

  test('while the database is gone, clients hear of changes here; when it is back, everyone hears of all', async (context) => {
    const open = await create(context);
    const [here, there] = [await open(), await open()];
    const [heardHere, heardThere] = [listen(here), listen(there)];
    await server.primary.kill();
    here.add({ kind: 'stage', entity: 'alone' });
    await eventually('it is told here', () => heardHere.length === 1);
    assert.deepEqual([heardHere[0]?.entity, heardHere[0]?.id], ['alone', null]);
    here.add({ kind: 'stage', entity: 'at once' });
    assert.equal(heardHere.length, 2);
    await here.reach(here.lastId + 1);
    assert.equal(here.since(here.lastId + 1), undefined);
    await server.primary.start();
    const entities = ['alone', 'at once'];
    await eventually('it is told there', () => heardThere.length === 2);
    assert.deepEqual(
      heardThere.map(({ entity }) => entity),
      entities,
    );
    await eventually('it has its number here', () => heardHere.length === 4);
    assert.deepEqual(heardHere.slice(2), heardThere);
  });

  test('when too much happened while the database was gone, everyone is told to read everything', async (context) => {
    const open = await create(context);
    const [here, there] = [await open(), await open()];
    const heard = listen(there);
    await server.primary.kill();
    for (let count = 0; count < keptChanges + 10; count++) here.add({ kind: 'stage', entity: `${count}` });
    await server.primary.start();
    await eventually('it is told', () => heard.length >= 11);
    assert.deepEqual([heard[0]?.kind, heard.at(-1)?.entity], [everythingChanged, `${keptChanges + 9}`]);
    assert.equal(there.since(Number(heard[0]?.id) - 1), undefined);
    assert.equal(there.since(Number(heard[0]?.id))?.length, 10);
  });
});
