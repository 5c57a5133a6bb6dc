import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../ground/errors.ts';
import { stageDefinition } from '../../stage/stage.ts';
import { admin, openOperations } from '../../testing/call-operations.ts';
import { stagePatch } from './stage-patch.ts';

const { engine, call } = await openOperations();

test('a stage is created with defaults, shown and listed', async () => {
  const created = await call('stage.create', { name: 'plain', processor: 'nothing' });
  assert.equal(created.version, 1);
  assert.equal(created.retry.attempts, 3);
  assert.deepEqual(await call('stage.show', { name: 'plain' }), { ...created, broken: null });
  assert.ok((await call('stage.ls')).stages.some((stage: { name: string }) => stage.name === 'plain'));
});

test('a change of one field leaves all others as they are', async () => {
  const definition = {
    name: 'changed',
    processor: 'nothing',
    config: 'as it was',
    priority: 3,
    labels: ['gpu'],
    concurrency: 7,
    retry: { attempts: 9, firstDelayMs: 5 },
    maxLength: 100,
  };
  const before = await call('stage.create', definition);
  const after = await call('stage.configure', { name: 'changed', timeoutMs: 5 });
  assert.deepEqual(after, { ...before, timeoutMs: 5, version: 2 });
  const again = await call('stage.configure', { name: 'changed', retry: { factor: 2 } });
  assert.deepEqual(again.retry, { ...before.retry, factor: 2 });
  assert.equal((await call('stage.configure', { name: 'changed', maxLength: null })).maxLength, null);
});

test('nobody overwrites what a colleague has changed meanwhile: the answer says which version it is now, and whose', async () => {
  const anna = { ...admin, name: 'anna' };
  const { version } = await call('stage.create', { name: 'shared-work', processor: 'nothing' });
  const after = await call('stage.configure', { name: 'shared-work', concurrency: 2, base: version }, anna);
  assert.equal(after.version, version + 1);
  for (const late of [
    () => call('stage.configure', { name: 'shared-work', concurrency: 9, base: version }),
    () => call('stage.priority', { name: 'shared-work', priority: 1, base: version }),
  ])
    await assert.rejects(late, (error) => {
      assert.ok(hasCode(error, 'conflict'));
      const { base, version: now, changedBy } = error.details ?? {};
      assert.deepEqual([base, now, changedBy], [version, version + 1, 'anna']);
      assert.equal(error.sentence?.code, 'changed-since');
      return true;
    });
  assert.equal((await call('stage.show', { name: 'shared-work' })).concurrency, 2);
});

test('every field of a definition but its name can be changed', () => {
  const { name: _, ...fields } = stageDefinition.shape;
  assert.deepEqual(Object.keys(stagePatch.shape).sort(), Object.keys(fields).sort());
});

test('the history tells who changed what', async () => {
  await call('stage.create', { name: 'told', processor: 'nothing' });
  await call('stage.priority', { name: 'told', priority: -1 });
  const { versions } = await call('stage.history', { name: 'told' });
  assert.deepEqual(
    versions.map((row: { version: number; changedBy: string; stage: { priority: number } }) => [
      row.version,
      row.changedBy,
      row.stage.priority,
    ]),
    [
      [2, 'root', -1],
      [1, 'root', 0],
    ],
  );
  await call('stage.delete', { name: 'told' });
  assert.equal((await call('stage.history', { name: 'told' })).versions.length, 2);
});

test('what is not there is not found, with the known ones listed', async () => {
  await assert.rejects(call('stage.show', { name: 'missing' }), { code: 'stage-unknown', message: /plain/ });
  await assert.rejects(call('stage.history', { name: 'missing' }), { code: 'stage-unknown' });
  await assert.rejects(call('stage.configure', { name: 'missing', priority: 1 }), { code: 'stage-unknown' });
  await assert.rejects(call('stage.create', { name: 'x', processor: 'missing' }), {
    code: 'processor-unknown',
    message: /nothing/,
  });
});

test('a stage cannot take over a queue where results wait for their owner', async () => {
  await call('stage.create', { name: 'work', processor: 'nothing' });
  await call('pipeline.create', { name: 'p', stages: ['work', 'results-of-alice'] });
  const taken = call('stage.create', { name: 'results-of-alice', processor: 'nothing' });
  await assert.rejects(taken, { code: 'already-exists', message: /output queue/ });
});

test('files of a stage must have been uploaded', async () => {
  const { hash, size } = await engine.blobs.put(Buffer.from('a model'));
  const files = [{ name: 'model.bin', hash, size }];
  assert.deepEqual((await call('stage.create', { name: 'model', processor: 'nothing', files })).files, files);
  for (const wrong of ['0'.repeat(64), '../../etc/passwd']) {
    const broken = { name: 'model', files: [{ name: 'model.bin', hash: wrong, size: 1 }] };
    await assert.rejects(call('stage.configure', broken), { code: 'blob-missing' });
  }
});

test('a stage with waiting messages is deleted only by force', async () => {
  await call('stage.create', { name: 'full', processor: 'nothing' });
  await call('request.submit', { stages: ['full', 'full-done'], files: [] });
  await assert.rejects(call('stage.delete', { name: 'full' }), { code: 'conflict' });
  await call('stage.delete', { name: 'full', force: true });
  await assert.rejects(call('stage.show', { name: 'full' }), { code: 'stage-unknown' });
});
