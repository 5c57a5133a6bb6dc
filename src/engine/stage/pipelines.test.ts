import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';

test('a pipeline is refused when one of its stages is unknown, and the known ones are listed', async (t) => {
  const { stages, pipelines } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  const creating = pipelines.create({ name: 'p', stages: ['ocr', 'lost', 'out'], owner: 'anna' });
  await assert.rejects(creating, { code: 'stage-unknown', message: /no stage lost; known stages: ocr/ });
  await assert.rejects(pipelines.create({ name: 'p', stages: ['out'], owner: 'anna' }), {
    code: 'invalid-input',
  });
});

test('the output queue is made with the pipeline and belongs to whoever made it first', async (t) => {
  const { stages, pipelines, broker } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  await pipelines.create({ name: 'p', stages: ['ocr', 'out'], owner: 'anna' });
  await pipelines.create({ name: 'q', stages: ['ocr', 'out'], owner: 'bert' });
  assert.equal((await broker.status('out')).name, 'out');
  assert.equal(await pipelines.outputOwner('out'), 'anna');
  assert.equal(await pipelines.outputOwner('ocr'), undefined);
  await assert.rejects(pipelines.create({ name: 'p', stages: ['ocr', 'out'], owner: 'anna' }), {
    code: 'already-exists',
  });
});

test('a pipeline may end in a stage: then there is no output queue to be owned', async (t) => {
  const { stages, pipelines } = await openEmbedded(t);
  for (const name of ['ocr', 'collect']) await stages.create({ name, processor: 'nothing' }, 'anna');
  await pipelines.create({ name: 'p', stages: ['ocr', 'collect'], owner: 'anna' });
  assert.equal(await pipelines.outputOwner('collect'), undefined);
  await pipelines.delete('p');
  assert.deepEqual(await pipelines.list(), []);
  await assert.rejects(pipelines.delete('p'), { code: 'not-found' });
});
