import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openOperations } from '../../testing/call-operations.ts';

const { engine, call } = await openOperations();
engine.processors.register({
  name: 'shout',
  summary: 'Shouts',
  inline: async ({ config }) => {
    return async ({ files, log, signal }) => {
      if (config === 'fail') throw new Error('too quiet');
      if (config === 'wait')
        await new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('stopped'))),
        );
      for (const name of files.names()) {
        const text = Buffer.from(await files.read(name)).toString();
        await files.write(name, Buffer.from(`${text.toUpperCase()}${config}`));
      }
      log('shouted');
    };
  },
});
const { hash } = await engine.blobs.put(Buffer.from('hello'));
const input = [{ name: 'a.txt', hash }];
await call('stage.create', { name: 'first', processor: 'shout', config: '!' });

test('a stage is tried on a file with a configuration that is not stored, after stored stages, and nothing is left behind', async () => {
  const before = await call('stage.show', { name: 'first' });
  const blobs = async () => (await Array.fromAsync(engine.blobs.list())).length;
  const count = await blobs();
  const tried = await call('stage.try', { name: 'first', config: '?', input, before: ['first'] });
  assert.deepEqual(
    tried.steps.map(({ stage, ok, log }: Record<string, unknown>) => [stage, ok, log]),
    [
      ['first', true, 'shouted\n'],
      ['first', true, 'shouted\n'],
    ],
  );
  assert.deepEqual(tried.files, [
    { name: 'a.txt', size: 7, content: Buffer.from('HELLO!?').toString('base64') },
  ]);
  assert.deepEqual(await call('stage.show', { name: 'first' }), before);
  assert.equal(await blobs(), count);
  const trials = join(engine.directory.path, 'cache', 'trials');
  assert.deepEqual(existsSync(trials) ? await readdir(trials) : [], []);
  const fresh = await call('stage.try', { name: 'not-there', processor: 'shout', input });
  assert.equal(fresh.files[0].size, 5);
  await assert.rejects(call('stage.show', { name: 'not-there' }), { code: 'stage-unknown' });
});

test('a trial that fails says why, and one whose caller leaves or that takes too long is stopped', async () => {
  const { steps, files } = await call('stage.try', { name: 'first', config: 'fail', input });
  assert.deepEqual([steps[0].ok, steps[0].reason, files[0].size], [false, 'too quiet', 5]);
  const late = await call('stage.try', { name: 'first', config: 'wait', timeoutMs: 50, input });
  assert.match(late.steps[0].reason, /took longer than 50 ms/);
  const caller = new AbortController();
  const left = call('stage.try', { name: 'first', config: 'wait', input }, undefined, caller.signal);
  caller.abort();
  await assert.rejects(left);
});

test('what could not be stored is not tried either', async () => {
  await assert.rejects(call('stage.try', { name: 'first', processor: 'missing', input }), {
    code: 'processor-unknown',
  });
  const missing = [{ name: 'a.txt', hash: '0'.repeat(64) }];
  await assert.rejects(call('stage.try', { name: 'first', input: missing }), { code: 'blob-missing' });
  await assert.rejects(call('stage.try', { name: 'first', labels: ['gpu'], input }), { code: 'conflict' });
});
