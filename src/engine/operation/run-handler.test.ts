import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Engine } from '../composition/engine.ts';
import type { Caller } from '../ground/caller.ts';
import { type ErrorCode, hasCode } from '../ground/errors.ts';
import { childProcesses, isRunning } from '../testing/child-processes.ts';
import { type Embedded, openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { executeOperation } from './execute-operation.ts';
import type { Operation } from './operation.ts';

const anna: Caller = { name: 'anna', role: 'user', address: '' };
const bert: Caller = { name: 'bert', role: 'user', address: '' };
const code = (expected: ErrorCode) => (error: unknown) => hasCode(error, expected);

function operation(
  more: Partial<Pick<Operation, 'heavy' | 'deadlineMs' | 'changes'>>,
  handler: Operation['handler'],
): Operation {
  return {
    ...({ name: 'thing.do', summary: 'Does a thing', role: 'user', owner: 'none' } as const),
    changes: false,
    input: z.strictObject({}),
    output: z.object({}),
    example: {},
    handler,
    ...more,
  };
}

function run(embedded: Embedded, what: Operation, by = anna, signal = new AbortController().signal) {
  return executeOperation(embedded as unknown as Engine, what, by, {}, signal);
}

const endless: Operation['handler'] = async ({ engine }) => {
  await sql`SELECT COUNT(*) FROM (WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT (n + 1) % 1000 FROM counted)
    SELECT n FROM counted)`.execute(engine.database.query);
  return {};
};
const readers = () => childProcesses().filter(isRunning).length;

test('a call that takes too long is refused, its handler is told, and a change says that it may go on', async (t) => {
  const embedded = await openEmbedded(t);
  let told: AbortSignal | undefined;
  const stuck: Operation['handler'] = ({ signal }) => {
    told = signal;
    return new Promise(() => {});
  };
  await assert.rejects(run(embedded, operation({ deadlineMs: 50 }, stuck)), code('took-too-long'));
  assert.equal(told?.aborted, true);
  await assert.rejects(
    run(embedded, operation({ deadlineMs: 50, changes: true }, stuck)),
    /may still be running/,
  );
});

test('a heavy read delays nobody, and ends with its caller', async (t) => {
  const embedded = await openEmbedded(t);
  const caller = new AbortController();
  const heavy = operation({ heavy: 'read' }, endless);
  const left = assert.rejects(run(embedded, heavy, anna, caller.signal), code('unavailable'));
  await eventually('it reads', () => readers() === 1);
  const light = operation({}, async ({ engine }) => {
    await engine.database.query.selectFrom('secret').selectAll().execute();
    return {};
  });
  assert.deepEqual(await run(embedded, light, anna), {});
  caller.abort();
  await left;
  await eventually('it has stopped', () => readers() === 0);
});

test('heavy work of one user waits its turn, and that of others does not wait for it', async (t) => {
  const embedded = await openEmbedded(t);
  const go = Promise.withResolvers<object>();
  let running = 0;
  const heavy = operation({ heavy: 'work' }, () => {
    running++;
    return go.promise;
  });
  const calls = [anna, anna, anna, anna].map((by) => run(embedded, heavy, by));
  await eventually('two run', () => running === 2);
  calls.push(run(embedded, heavy, bert));
  await eventually('bert’s runs', () => running === 3);
  go.resolve({});
  await Promise.all(calls);
  assert.equal(running, 5);
});
