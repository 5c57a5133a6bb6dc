import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { engineMigrations } from '../database/open.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { openEmbeddedCoordination } from './embedded.ts';
import { code } from './testing/contract/claim.ts';
import { type CoordinationUnderTest, coordinationContract } from './testing/contract.ts';

const reported: unknown[] = [];

async function openTree(file: string) {
  const database = await openSqliteDatabase({ file });
  await database.migrate(engineMigrations);
  const report = (error: unknown) => reported.push(error);
  return { database, tree: await openEmbeddedCoordination({ database, clock: systemClock, report }) };
}

async function create(context: TestContext): Promise<CoordinationUnderTest> {
  const file = join(await temporaryDirectory(context), 'test.db');
  let { database, tree } = await openTree(file);
  const close = async () => {
    await tree.close();
    await database.close();
  };
  return {
    open: (identity) => tree.openSession(identity),
    expire: (session) => tree.expire(session.session),
    async restart() {
      await close();
      ({ database, tree } = await openTree(file));
    },
    close,
  };
}

coordinationContract('the embedded tree', create);

test('when the database is gone, writes fail and leave nothing half-written, and presence still works', async (context) => {
  const { database, tree } = await openTree(join(await temporaryDirectory(context), 'test.db'));
  const session = await tree.openSession('first');
  await session.set('/a', 'kept');
  await database.close();
  await assert.rejects(session.set('/a', 'lost'), code('unavailable'));
  await assert.rejects(session.hold('/h', 'me'), code('unavailable'));
  assert.equal((await session.get('/a'))?.value, 'kept');
  await session.create('/workers/w1', 'here', { ephemeral: true });
  assert.equal((await session.get('/workers/w1'))?.value, 'here');
  await tree.close();
});

test('only an existing session can be expired', async (context) => {
  const tree = await create(context);
  const session = await tree.open('first');
  await session.close();
  await assert.rejects(tree.expire(session), code('not-found'));
  await tree.close();
});

test('an error thrown by a listener is reported', async (context) => {
  const tree = await create(context);
  const session = await tree.open('first');
  const trouble = new Error('listener of a test');
  session.watch('/a', () => {
    throw trouble;
  });
  await eventually('reported', () => reported.includes(trouble));
  await tree.close();
});
