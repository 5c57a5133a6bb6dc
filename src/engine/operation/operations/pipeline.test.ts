import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alice, mallory, openOperations } from '../../testing/call-operations.ts';

const { call } = await openOperations();
for (const name of ['read', 'correct']) await call('stage.create', { name, processor: 'nothing' });

test('the stages of a pipeline are changed by its owner, from the version that was read', async () => {
  const made = await call('pipeline.create', { name: 'pages', stages: ['read', 'done'] }, alice);
  const stages = ['read', 'correct', 'done'];
  const changed = await call('pipeline.set', { name: 'pages', stages, base: made.version }, alice);
  assert.deepEqual(changed.stages, ['read', 'correct', 'alice/done']);
  assert.deepEqual([changed.version, changed.changedBy, changed.owner], [2, 'alice', 'alice']);
  assert.deepEqual(await call('pipeline.show', { name: 'pages' }, alice), changed);

  const late = call('pipeline.set', { name: 'alice/pages', stages: made.stages, base: made.version });
  await assert.rejects(late, { code: 'conflict', message: /version 2, not 1: alice has changed it/ });
  const foreign = call('pipeline.set', { name: 'alice/pages', stages: ['read', 'done'] }, mallory);
  await assert.rejects(foreign, { code: 'not-found' });
  await assert.rejects(call('pipeline.set', { name: 'pages', stages: ['missing', 'done'] }, alice), {
    code: 'stage-unknown',
  });
  assert.deepEqual(await call('pipeline.show', { name: 'pages' }, alice), changed);
});
