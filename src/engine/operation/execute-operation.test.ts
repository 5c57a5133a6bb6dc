import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { Engine } from '../composition/engine.ts';
import type { Caller } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';
import { type Embedded, openEmbedded } from '../testing/embedded.ts';
import { executeOperation } from './execute-operation.ts';
import { defineOperation, type Operation } from './operation.ts';

const anna: Caller = { name: 'anna', role: 'user', address: '10.0.0.1' };
const signal = new AbortController().signal;

function operation(changes: Partial<Operation> = {}): Operation {
  const made: Operation = defineOperation({
    name: 'thing.make',
    summary: 'Makes a thing',
    role: 'user',
    owner: 'none',
    changes: true,
    input: z.strictObject({ name: z.string().max(5), secret: z.string().optional() }),
    output: z.object({ made: z.string() }),
    example: { name: 'one' },
    secrets: ['secret'],
    handler: async (_context, { name }) => ({ made: name }),
  });
  return { ...made, ...changes };
}

/** Operations here need only this part of an engine. */
function run(embedded: Embedded, what: Operation, caller: Caller | undefined, input: unknown) {
  return executeOperation(embedded as unknown as Engine, what, caller, input, signal);
}

function code(expected: string) {
  return (error: unknown) => error instanceof PismakError && error.code === expected;
}

async function auditRows({ database }: Embedded) {
  return database.query.selectFrom('audit').selectAll().orderBy('id').execute();
}

test('an operation runs only for a caller with the role and the scope, and others learn nothing about its input', async (t) => {
  const embedded = await openEmbedded(t);
  const admin = operation({ role: 'admin' });
  await assert.rejects(run(embedded, admin, undefined, {}), code('not-signed-in'));
  await assert.rejects(run(embedded, admin, anna, {}), code('forbidden'));
  await assert.rejects(run(embedded, operation(), { ...anna, scopes: ['stage.'] }, {}), code('forbidden'));
  for (const scopes of [['thing.'], ['thing.make'], ['*']]) {
    assert.deepEqual(await run(embedded, operation(), { ...anna, scopes }, { name: 'one' }), { made: 'one' });
  }
  assert.deepEqual(await run(embedded, operation({ role: 'public' }), undefined, { name: 'one' }), {
    made: 'one',
  });
});

test('the error for an invalid input lists every fault and its place', async (t) => {
  const embedded = await openEmbedded(t);
  await assert.rejects(
    run(embedded, operation(), anna, { name: 'too long', more: 1 }),
    (error: PismakError) => {
      assert.equal(error.code, 'invalid-input');
      const { issues } = error.details as { issues: { path: string }[] };
      assert.deepEqual(issues.map(({ path }) => path).sort(), ['', 'name']);
      assert.equal(error.message, 'name must have at most 5 characters; the input has unknown fields: more');
      return true;
    },
  );
});

test('a thing looks missing to everyone but its owner and administrators', async (t) => {
  const embedded = await openEmbedded(t);
  const owned = operation({
    owner: async (_context, input) => ((input as { name: string }).name === 'hers' ? 'anna' : undefined),
  });
  const bert = { ...anna, name: 'bert' };
  const messages: string[] = [];
  for (const name of ['hers', 'none']) {
    await assert.rejects(run(embedded, owned, bert, { name }), (error: PismakError) => {
      messages.push(`${error.code} ${error.message}`);
      return error.code === 'not-found';
    });
  }
  assert.equal(messages[0], messages[1]);
  assert.deepEqual(await run(embedded, owned, anna, { name: 'hers' }), { made: 'hers' });
  assert.deepEqual(await run(embedded, owned, { ...bert, role: 'admin' }, { name: 'hers' }), {
    made: 'hers',
  });
});

test('an unexpected error goes to the log under an id, and only the id to the caller', async (t) => {
  const embedded = await openEmbedded(t);
  const lines: object[] = [];
  const engine = {
    ...embedded,
    log: { error: (fields: object) => lines.push(fields) },
  } as unknown as Embedded;
  const faults: Partial<Operation>[] = [
    { handler: async () => Promise.reject(new Error('SQLITE_CORRUPT at /var/lib/pismak.db')) },
    { handler: async () => ({ wrong: 'output' }) },
    { handler: async () => Promise.reject(new PismakError('internal', 'driver says /var/lib/pismak.db')) },
  ];
  for (const fault of faults) {
    await assert.rejects(run(engine, operation(fault), anna, { name: 'one' }), (error: PismakError) => {
      assert.equal(error.code, 'internal');
      assert.doesNotMatch(error.message, /SQLITE|var|output/);
      assert.equal((lines.at(-1) as { id: string }).id, error.details?.id);
      return true;
    });
  }
  assert.equal(lines.length, 3);
});

test('an output holds only what the operation declares', async (t) => {
  const embedded = await openEmbedded(t);
  const chatty = operation({ handler: async () => ({ made: 'one', passwordHash: 'x' }) });
  assert.deepEqual(await run(embedded, chatty, anna, { name: 'one' }), { made: 'one' });
});

test('a definition that a handler refuses is the caller’s fault', async (t) => {
  const embedded = await openEmbedded(t);
  const strict = operation({ handler: async () => ({ made: z.string().min(9).parse('short') }) });
  await assert.rejects(run(embedded, strict, anna, { name: 'one' }), code('invalid-input'));
});

test('a handler that stops because the caller is gone is not an internal error', async (t) => {
  const embedded = await openEmbedded(t);
  const waiting = operation({
    handler: async (context) => {
      context.signal.throwIfAborted();
      return { made: 'never' };
    },
  });
  const call = executeOperation(
    embedded as unknown as Engine,
    waiting,
    anna,
    { name: 'one' },
    AbortSignal.abort(),
  );
  await assert.rejects(call, code('unavailable'));
});

test('changes are audited without secrets, even refused and failed ones; reads, anonymous calls and exempt operations are not', async (t) => {
  const embedded = await openEmbedded(t);
  const key = { ...anna, credential: 'key:k1' };
  await run(embedded, operation(), key, { name: 'one', secret: 'hush' });
  await assert.rejects(run(embedded, operation({ role: 'admin' }), anna, { name: 'two', password: 'hush' }));
  await assert.rejects(run(embedded, operation(), anna, { name: 'far too long' }));
  await assert.rejects(run(embedded, operation(), undefined, { name: 'four' }));
  await run(embedded, operation({ changes: false }), anna, { name: 'five' });
  await run(embedded, operation({ audited: false }), anna, { name: 'six' });
  const rows = await auditRows(embedded);
  assert.deepEqual(
    rows.map(({ actor, outcome, address, operation }) => [actor, operation, outcome, address]),
    [
      ['anna (key:k1)', 'thing.make', 'ok', '10.0.0.1'],
      ['anna', 'thing.make', 'forbidden', '10.0.0.1'],
      ['anna', 'thing.make', 'invalid-input', '10.0.0.1'],
    ],
  );
  assert.deepEqual(JSON.parse(rows[0]?.inputJson ?? ''), { name: 'one', secret: '***' });
  assert.doesNotMatch(JSON.stringify(rows), /hush/);
});

test('a thousand concurrent calls are all in the audit log once answered', async (t) => {
  const embedded = await openEmbedded(t);
  const calls = Array.from({ length: 1000 }, (_, index) =>
    run(embedded, operation(), anna, { name: `${index}` }),
  );
  await Promise.all(calls);
  const names = (await auditRows(embedded)).map((row) => JSON.parse(row.inputJson).name);
  assert.deepEqual(
    names,
    Array.from({ length: 1000 }, (_, index) => `${index}`),
  );
});
