import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { pino } from 'pino';
import type { Database } from '../database/database.ts';
import { openSqliteDatabase } from '../database/sqlite.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { ManualClock } from '../time/clock.ts';
import { type AlertNotice, createAlerts } from './alert.ts';

const hour = 3_600_000;

const untouched = {
  acknowledgedBy: null,
  acknowledgedAt: null,
  note: null,
  mutedUntil: null,
  mutedBy: null,
};

async function setUp(t: test.TestContext) {
  const clock = new ManualClock();
  const embedded = await openEmbedded(t, { clock });
  const told: AlertNotice[] = [];
  const lines: string[] = [];
  let wakes = 0;
  const create = () =>
    createAlerts({
      ...embedded,
      log: pino({}, { write: (line: string) => lines.push(line) }),
      repeatMs: hour,
      subscribers: [async (_, notice) => void told.push(notice)],
      wakeOutbox: () => wakes++,
    });
  const toldEvents = () => told.map(({ event }) => event);
  return { ...embedded, clock, create, alerts: create(), told, toldEvents, lines, wakes: () => wakes };
}

test('an alert and its end are stored and go to the log, the events, the changes and the subscribers', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('stage.no-worker', 'ocr', 'nobody serves ocr', { waiting: 3 });
  const [alert, ...others] = await it.alerts.list();
  assert.deepEqual(others, []);
  assert.deepEqual(
    { ...alert, id: '' },
    {
      id: '',
      kind: 'stage.no-worker',
      entity: 'ocr',
      reason: 'nobody serves ocr',
      details: { waiting: 3 },
      raisedAt: it.clock.now(),
      lastSeenAt: it.clock.now(),
      clearedAt: null,
      seen: 1,
      sentence: null,
      ...untouched,
    },
  );
  it.clock.advance(1000);
  await it.alerts.clear('stage.no-worker', 'ocr');
  assert.deepEqual(await it.alerts.list(), []);
  assert.deepEqual(
    (await it.alerts.list({ all: true })).map(({ id, clearedAt }) => [id, clearedAt]),
    [[alert?.id, it.clock.now()]],
  );
  const both = ['alert.raised', 'alert.cleared'];
  assert.deepEqual(it.toldEvents(), both);
  assert.deepEqual(
    it.lines.map((line) => JSON.parse(line).event),
    both,
  );
  const seen = [...(it.changes.since(it.changes.lastId - 2) ?? [])];
  assert.deepEqual(
    seen.map(({ kind, entity, data }) => [kind, entity, data?.event]),
    both.map((event) => ['alert', alert?.id, event]),
  );
  assert.equal(it.wakes(), 2);
});

test('a lasting alert stays one alert and is repeated once per period', async (t) => {
  const it = await setUp(t);
  for (let minute = 0; minute <= 150; minute++) {
    await it.alerts.raise('disk.low', 'here', `${minute} minutes`);
    it.clock.advance(60_000);
  }
  const open = await it.alerts.list();
  assert.deepEqual(
    open.map(({ reason, seen }) => [reason, seen]),
    [['150 minutes', 151]],
  );
  assert.deepEqual(it.toldEvents(), ['alert.raised', 'alert.repeated', 'alert.repeated']);
});

test('colleagues see who looks after an alert', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('disk.low', 'here', 'low');
  const [open] = await it.alerts.list();
  it.clock.advance(60_000);
  const taken = await it.alerts.acknowledge(open?.id ?? '', 'anna', 'the disk is replaced on Monday');
  assert.deepEqual(
    [taken.acknowledgedBy, taken.acknowledgedAt, taken.note],
    ['anna', it.clock.now(), 'the disk is replaced on Monday'],
  );
  await it.alerts.raise('disk.low', 'here', 'lower');
  assert.deepEqual(
    (await it.alerts.list()).map(({ reason, acknowledgedBy }) => [reason, acknowledgedBy]),
    [['lower', 'anna']],
  );
});

test('nobody is notified of a muted alert until its time, and its end is told', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('disk.low', 'here', 'low');
  const [open] = await it.alerts.list();
  await it.alerts.mute(open?.id ?? '', 'anna', it.clock.now() + 2.5 * hour);
  for (let minute = 0; minute < 240; minute++) {
    it.clock.advance(60_000);
    await it.alerts.raise('disk.low', 'here', 'low');
  }
  assert.deepEqual(
    it.told.map(({ event, at }) => [event, (at - (open?.raisedAt ?? 0)) / hour]),
    [
      ['alert.raised', 0],
      ['alert.repeated', 3],
      ['alert.repeated', 4],
    ],
  );
  await it.alerts.mute(open?.id ?? '', 'anna', it.clock.now() + 2 * hour);
  await it.alerts.clear('disk.low', 'here');
  assert.equal(it.toldEvents().at(-1), 'alert.cleared');
});

test('an alert that comes again is new: nobody looks after it, and it is not muted', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('disk.low', 'here', 'low');
  const [first] = await it.alerts.list();
  const id = first?.id ?? '';
  await it.alerts.acknowledge(id, 'anna', null);
  await it.alerts.mute(id, 'anna', it.clock.now() + 10 * hour);
  await it.alerts.clear('disk.low', 'here');
  await assert.rejects(it.alerts.mute(id, 'anna', null), { code: 'conflict' });
  await assert.rejects(it.alerts.acknowledge('nothing', 'anna', null), { code: 'not-found' });
  await it.alerts.raise('disk.low', 'here', 'low');
  const [again] = await it.alerts.list();
  assert.deepEqual([again?.acknowledgedBy, again?.mutedUntil], [null, null]);
  assert.equal(it.toldEvents().at(-1), 'alert.raised');
});

test('a process that starts in between keeps the period', async (t) => {
  const it = await setUp(t);
  await it.alerts.raise('disk.low', 'here', 'low');
  it.clock.advance(hour / 2);
  const later = it.create();
  await later.raise('disk.low', 'here', 'low');
  assert.deepEqual(it.toldEvents(), ['alert.raised']);
  it.clock.advance(hour / 2);
  await later.raise('disk.low', 'here', 'low');
  assert.deepEqual(it.toldEvents(), ['alert.raised', 'alert.repeated']);
});

test('concurrent alerts of several processes become one per kind and entity', async (t) => {
  const it = await setUp(t);
  const [a, b] = [it.create(), it.create()];
  await Promise.all(
    ['x', 'y'].flatMap((entity) =>
      [a, b].flatMap((alerts) => [alerts.raise('k', entity, 'r'), alerts.raise('k2', entity, 'r')]),
    ),
  );
  const open = await it.alerts.list();
  assert.deepEqual(open.map(({ kind, entity }) => `${kind} ${entity}`).sort(), [
    'k x',
    'k y',
    'k2 x',
    'k2 y',
  ]);
  assert.ok(open.every(({ seen }) => seen === 2));
  assert.equal(it.told.length, 4);
});

test('clearing without an open alert does nothing, and a problem that returns is a new alert', async (t) => {
  const it = await setUp(t);
  await it.alerts.clear('k', 'e');
  assert.deepEqual(it.told, []);
  await it.alerts.raise('k', 'e', 'first');
  await it.alerts.clear('k', 'e');
  await it.alerts.raise('k', 'e', 'second');
  assert.deepEqual(
    (await it.alerts.list({ all: true })).map(({ reason, clearedAt }) => [reason, clearedAt === null]),
    [
      ['second', true],
      ['first', false],
    ],
  );
});

test('an alert is not lost if a subscriber fails', async (t) => {
  const it = await setUp(t);
  const alerts = createAlerts({
    ...it,
    repeatMs: hour,
    wakeOutbox() {},
    subscribers: [
      async () => {
        throw new Error('no room in the outbox');
      },
    ],
  });
  await alerts.raise('k', 'e', 'r');
  assert.deepEqual(
    (await alerts.list()).map(({ kind }) => kind),
    ['k'],
  );
});

/** A database that can be down: then every query goes to a closed one. */
async function fragile(t: test.TestContext, database: Database) {
  const closed = await openSqliteDatabase({ file: join(await temporaryDirectory(t), 'closed.db') });
  await closed.close();
  const state = { down: true };
  const current = () => (state.down ? closed : database);
  const wrapped: Database = {
    ...database,
    get query() {
      return current().query;
    },
    transaction: (work) => current().transaction(work),
  };
  return { database: wrapped, state };
}

test('without the database alerts are logged and kept in memory, and stored when it is back', async (t) => {
  const it = await setUp(t);
  const { database, state } = await fragile(t, it.database);
  const told: string[] = [];
  const lines: string[] = [];
  const alerts = createAlerts({
    ...it,
    database,
    log: pino({}, { write: (line: string) => lines.push(line) }),
    repeatMs: hour,
    wakeOutbox() {},
    subscribers: [async (_, { event }) => void told.push(event)],
  });
  await alerts.raise('store.unreachable', 'database', 'down');
  await alerts.raise('store.unreachable', 'database', 'down');
  await alerts.clear('other', 'e');
  const [kept] = await alerts.list();
  assert.deepEqual([kept?.kind, kept?.seen], ['store.unreachable', 2]);
  assert.equal(lines.filter((line) => line.includes('alert.raised')).length, 1);
  assert.deepEqual(told, []);

  state.down = false;
  it.clock.advance(5000);
  await alerts.clear('store.unreachable', 'database');
  assert.deepEqual(await alerts.list(), []);
  const [stored] = await alerts.list({ all: true });
  assert.deepEqual([stored?.id, stored?.raisedAt, stored?.seen], [kept?.id, kept?.raisedAt, 2]);
  assert.deepEqual(told, ['alert.cleared']);
});

test('the next raise stores an alert kept in memory, and then the subscribers get it', async (t) => {
  const it = await setUp(t);
  const { database, state } = await fragile(t, it.database);
  const told: string[] = [];
  const alerts = createAlerts({
    ...it,
    database,
    repeatMs: hour,
    wakeOutbox() {},
    subscribers: [async (_, { event }) => void told.push(event)],
  });
  await alerts.raise('k', 'e', 'r');
  state.down = false;
  await alerts.raise('k', 'e', 'r');
  assert.deepEqual(told, ['alert.raised']);
  assert.deepEqual(
    (await it.alerts.list()).map(({ seen }) => seen),
    [2],
  );
});

test('a database that does not answer blocks no caller', async (t) => {
  const it = await setUp(t);
  const database = { ...it.database, transaction: () => new Promise<never>(() => {}) };
  const alerts = createAlerts({ ...it, database, repeatMs: hour, wakeOutbox() {}, subscribers: [] });
  const raised = alerts.raise('k', 'e', 'r');
  it.clock.advance(5000);
  await raised;
  assert.deepEqual(
    (await alerts.list()).map(({ kind }) => kind),
    ['k'],
  );
});
