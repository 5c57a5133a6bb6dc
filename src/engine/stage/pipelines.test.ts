import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { programOwner } from './program-owner.ts';

test('a pipeline is refused when one of its stages is unknown, and the known ones are listed', async (t) => {
  const { stages, pipelines } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  const creating = pipelines.create({ name: 'p', stages: ['ocr', 'lost', 'out'], owner: 'anna' });
  await assert.rejects(creating, { code: 'stage-unknown', message: /no stage lost; known stages: ocr/ });
  await assert.rejects(pipelines.create({ name: 'p', stages: ['out'], owner: 'anna' }), {
    code: 'invalid-input',
  });
});

test('the output queue is created with the pipeline and belongs to its first creator', async (t) => {
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

test('a pipeline may end in a stage: then it has no output queue', async (t) => {
  const { stages, pipelines } = await openEmbedded(t);
  for (const name of ['ocr', 'collect']) await stages.create({ name, processor: 'nothing' }, 'anna');
  await pipelines.create({ name: 'p', stages: ['ocr', 'collect'], owner: 'anna' });
  assert.equal(await pipelines.outputOwner('collect'), undefined);
  await pipelines.delete('p');
  assert.deepEqual(await pipelines.list(), []);
  await assert.rejects(pipelines.delete('p'), { code: 'not-found' });
});

test('a queue that a house claims belongs to the program, even if a user had it before', async (t) => {
  const { broker, changes, stages, pipelines } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  await pipelines.claimOutput('house.fresh');
  assert.equal((await broker.status('house.fresh')).name, 'house.fresh');
  await pipelines.create({ name: 'p', stages: ['ocr', 'house.taken'], owner: 'anna' });
  assert.equal(await pipelines.outputOwner('house.taken'), 'anna');
  await pipelines.claimOutput('house.taken');
  await pipelines.create({ name: 'q', stages: ['ocr', 'house.fresh'], owner: 'anna' });
  for (const queue of ['house.fresh', 'house.taken'])
    assert.equal(await pipelines.outputOwner(queue), programOwner);
  let news = 0;
  changes.subscribe(() => news++);
  await pipelines.claimOutput('house.taken');
  assert.equal(news, 0, 'claiming it again changes nothing');
});

test('the queue of a stage cannot be claimed', async (t) => {
  const { stages, pipelines } = await openEmbedded(t);
  await stages.create({ name: 'house.collect', processor: 'nothing' }, 'anna');
  await assert.rejects(pipelines.claimOutput('house.collect'), {
    code: 'conflict',
    message: /a queue named house\.collect.*delete the stage/,
  });
});
