import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { hasCode } from '../ground/errors.ts';
import { eventually } from '../testing/eventually.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { ManualClock, systemClock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { ownerHeader } from './owner-header.ts';
import { openSqliteBroker } from './sqlite.ts';
import { BrokerProcess } from './testing/contract/broker-process.ts';
import { bytes, drain, idsOf, numbered, publishAll } from './testing/contract/scene.ts';
import { brokerContract } from './testing/contract.ts';

brokerContract('SQLite', async (t) => {
  const file = join(await temporaryDirectory(t), 'queues.db');
  const clock = new ManualClock();
  return {
    open: (options) => openSqliteBroker({ file, clock, ...options }),
    now: () => clock.now(),
    pass: async (ms) => clock.advance(ms),
    process: processOn(file),
    keepsPlaces: true,
  };
});

test('every confirmed publish was synced to the disk first', async (t) => {
  const directory = await temporaryDirectory(t);
  const file = join(directory, 'queues.db');
  const broker = await openSqliteBroker({ file, clock: systemClock });
  await broker.declare('letters');
  await broker.close();
  const trace = join(directory, 'trace');
  const strace = ['strace', '-f', '-y', '-s', '100', '-e', 'trace=write,fsync,fdatasync', '-o', trace];
  const child = new BrokerProcess(processOn(file), 'publish', ['letters', 'm', '1', '10'], strace);
  t.after(() => child.kill());
  await child.finished();
  const calls = (await readFile(trace, 'utf8')).split('\n');
  for (const id of numbered('m', 10)) {
    const [before, after] = ['publishing', 'confirmed'].map((word) =>
      calls.findIndex((call) => call.includes(`write(1<`) && call.includes(`"${word} ${id}\\n"`)),
    );
    assert.ok(
      before !== undefined && after !== undefined && before >= 0 && after > before,
      `${id} is in the trace`,
    );
    const between = calls.slice(before, after);
    assert.ok(
      between.some((call) => /f(data)?sync\(\d+<.*queues\.db-wal>/.test(call)),
      between.join('\n'),
    );
  }
});

test("one owner's 300 messages delay another's by one turn", async (t) => {
  const { broker } = await openOne(t);
  await broker.declare('letters');
  const publish = (owner: string, id: string) =>
    broker.publish('letters', { id, body: bytes(id), headers: { [ownerHeader]: owner } });
  for (const id of numbered('big', 300)) await publish('big', id);
  for (const id of numbered('small', 3)) await publish('small', id);
  const started = idsOf(await drain(broker, 'letters', 303));
  assert.deepEqual(started.slice(0, 7), ['big0', 'small0', 'big1', 'small1', 'big2', 'small2', 'big3']);
});

test('the file belongs to one broker: a second one is refused', async (t) => {
  const { broker, file } = await openOne(t);
  const second = openSqliteBroker({ file, clock: systemClock });
  await assert.rejects(
    second,
    (error) => hasCode(error, 'data-directory-in-use') && error.message.includes(file),
  );
  await broker.declare('letters');
});

test('a file that is not a queue file is refused and left unchanged', async (t) => {
  const file = join(await temporaryDirectory(t), 'queues.db');
  await writeFile(file, 'Dear Sir, '.repeat(1000));
  const opening = openSqliteBroker({ file, clock: systemClock });
  await assert.rejects(
    opening,
    (error) => hasCode(error, 'unavailable') && /not a database/.test(error.message),
  );
  assert.equal(await readFile(file, 'utf8'), 'Dear Sir, '.repeat(1000));
});

test('a file of a newer version is refused', async (t) => {
  const { broker, file } = await openOne(t);
  await broker.close();
  alter(file, 'PRAGMA user_version = 1000');
  const opening = openSqliteBroker({ file, clock: systemClock });
  await assert.rejects(
    opening,
    (error) => hasCode(error, 'unavailable') && /newer version/.test(error.message),
  );
});

test('a message that cannot be written fails alone: the rest of its batch is stored', async (t) => {
  const { broker, file, clock } = await openOne(t);
  await broker.declare('letters');
  await broker.close();
  const bad = "WHEN NEW.id = 'bad' BEGIN SELECT RAISE(ABORT, 'no room for this one'); END";
  alter(file, `CREATE TRIGGER refuse BEFORE INSERT ON message ${bad}`);
  const reopened = await openOne(t, file, clock);
  const sending = ['m0', 'bad', 'm1'].map((id) =>
    reopened.broker.publish('letters', { id, body: bytes(id) }),
  );
  const [first, second, third] = await Promise.allSettled(sending);
  assert.deepEqual([first?.status, third?.status], ['fulfilled', 'fulfilled']);
  assert.ok(second?.status === 'rejected' && hasCode(second.reason, 'unavailable'));
  assert.match(second.reason.message, /no room for this one/);
  assert.deepEqual(idsOf(await drain(reopened.broker, 'letters', 2)), ['m0', 'm1']);
});

test('an ack that cannot be written is written later, and the work is not repeated', async (t) => {
  const { broker, file, clock } = await openOne(t);
  await broker.declare('letters');
  await broker.close();
  const blocked = "WHEN OLD.id = 'one' AND EXISTS (SELECT 1 FROM message WHERE id = 'blocker')";
  alter(
    file,
    `CREATE TRIGGER refuse BEFORE DELETE ON message ${blocked} BEGIN SELECT RAISE(ABORT, 'not now'); END`,
  );
  const reopened = (await openOne(t, file, clock)).broker;
  await reopened.declare('blockers');
  await publishAll(reopened, 'blockers', ['blocker']);
  await publishAll(reopened, 'letters', ['one']);
  let started = 0;
  let acked = false;
  const consumer = await reopened.consume('letters', { concurrency: 1 }, async (delivery) => {
    started++;
    void delivery.ack().then(() => {
      acked = true;
    });
  });
  await eventually('it was started', () => started === 1);
  await reopened.peek('letters');
  assert.equal(acked, false);
  assert.equal((await reopened.status('letters')).inFlight, 1);
  await reopened.purge('blockers');
  await eventually('the ack is written', () => {
    clock.advance(1000);
    return acked;
  });
  await consumer.close();
  assert.equal(started, 1);
  assert.equal((await reopened.status('letters')).inFlight, 0);
});

test('a snapshot made under load is complete and opens as a broker', async (t) => {
  const { broker, file } = await openOne(t);
  await broker.declare('letters');
  await broker.declare('traffic');
  await publishAll(broker, 'letters', numbered('m', 50));
  let going = true;
  const consumer = await broker.consume('traffic', { concurrency: 5 }, (delivery) => delivery.ack());
  const traffic = (async () => {
    for (let sent = 0; going; sent++)
      await broker.publish('traffic', { id: `t${sent}`, body: new Uint8Array(5000) });
  })();
  const copy = `${file}.copy`;
  await broker.snapshot?.(copy);
  going = false;
  await traffic;
  await consumer.close();
  const restored = await openOne(t, copy);
  assert.deepEqual(idsOf(await drain(restored.broker, 'letters', 50)), numbered('m', 50));
  assert.equal((await broker.status('letters')).ready.normal, 50);
});

test('a snapshot into a missing directory fails and harms nothing', async (t) => {
  const { broker, file } = await openOne(t);
  await broker.declare('letters');
  const making = broker.snapshot?.(join(file, '..', 'missing', 'copy.db'));
  await assert.rejects(making ?? Promise.resolve(), (error) => hasCode(error, 'unavailable'));
  await publishAll(broker, 'letters', ['one']);
});

test('a large queue is purged, redriven and removed in steps that let other commands through', async (t) => {
  const { broker } = await openOne(t);
  for (const name of ['big', 'other']) await broker.declare(name);
  const many = numbered('m', 5000);
  const publish = () => Promise.all(many.map((id) => broker.publish('big', { id, body: bytes(id) })));
  await publish();
  let buried = 0;
  const consumer = await broker.consume('big', { concurrency: 100 }, async (delivery) => {
    await delivery.deadLetter('all of them');
    buried++;
  });
  await eventually('all are dead', () => buried === 5000);
  await consumer.close();
  assert.equal(await broker.redrive('big'), 5000);
  const purging = broker.purge('big');
  let purged = false;
  void purging.then(() => {
    purged = true;
  });
  await publishAll(broker, 'other', ['quick']);
  assert.equal(purged, false);
  assert.equal(await purging, 5000);
  await publish();
  await broker.remove('big');
  assert.deepEqual(idsOf(await broker.status().then((all) => all.map(({ name }) => ({ id: name })))), [
    'other',
  ]);
});

test('a queue removal interrupted by kill -9 continues at the next start', async (t) => {
  const { broker, file } = await openOne(t);
  await broker.declare('letters');
  await publishAll(broker, 'letters', numbered('m', 10));
  await broker.close();
  alter(file, 'UPDATE queue SET name = NULL');
  const reopened = await openOne(t, file);
  assert.deepEqual(await reopened.broker.status(), []);
  await reopened.broker.declare('letters');
  await reopened.broker.close();
  assert.deepEqual(alter(file, 'SELECT count(*) AS messages FROM message'), [{ messages: 0 }]);
});

test('reasons and histories do not grow without limit', async (t) => {
  const { broker } = await openOne(t);
  await broker.declare('letters');
  await publishAll(broker, 'letters', ['one']);
  let attempts = 0;
  const consumer = await broker.consume('letters', { concurrency: 1 }, async (delivery) => {
    attempts = delivery.attempt;
    if (attempts <= 150) await delivery.retry({ delayMs: 0, reason: `${attempts} `.repeat(5000) });
    else await delivery.deadLetter('enough');
  });
  await eventually('it is dead', async () => (await broker.status('letters')).dead === 1);
  await consumer.close();
  const [letter] = await broker.dead('letters');
  assert.equal(letter?.attempt, 151);
  assert.equal(letter?.history.length, 100);
  assert.ok(letter?.history.every(({ reason }) => reason.length <= 2000));
});

function processOn(file: string) {
  return { module: new URL('./sqlite.ts', import.meta.url), factory: 'openSqliteBroker', options: { file } };
}

async function openOne(
  t: TestContext,
  given?: string,
  clock = new ManualClock(),
): Promise<{ broker: Broker; file: string; clock: ManualClock }> {
  const file = given ?? join(await temporaryDirectory(t), 'queues.db');
  const broker = await openSqliteBroker({ file, clock });
  t.after(() => broker.close());
  return { broker, file, clock };
}

/** Changes a closed file behind the broker's back. */
function alter(file: string, sql: string): unknown[] {
  const db = new DatabaseSync(file);
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
}
