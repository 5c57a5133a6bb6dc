import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';

test('creating a stage makes its queue; deleting it is refused while messages wait, unless forced', async (t) => {
  const { stages, broker } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing', maxLength: 10 }, 'anna');
  assert.equal((await broker.status('ocr')).maxLength, 10);
  await broker.publish('ocr', { id: '1', body: Buffer.from('x') });
  await assert.rejects(stages.delete('ocr'), { code: 'conflict', message: /1 messages wait in stage ocr/ });
  await stages.delete('ocr', { force: true });
  await assert.rejects(broker.status('ocr'), { code: 'queue-unknown' });
});

test('every change makes a version and every version is kept; no change makes none', async (t) => {
  const { stages } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing', config: 'one' }, 'anna');
  await stages.change('ocr', { config: 'two' }, 'bert');
  const same = await stages.change('ocr', { config: 'two' }, 'cleo');
  assert.equal(same.version, 2);
  const history = await stages.history('ocr');
  assert.deepEqual(
    history.map(({ version, changedBy, stage }) => [version, changedBy, stage.config]),
    [
      [2, 'bert', 'two'],
      [1, 'anna', 'one'],
    ],
  );
});

test('a recreated stage continues its version numbers: a version always means one definition', async (t) => {
  const { stages } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  await stages.delete('ocr');
  assert.equal((await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna')).version, 2);
});

test('unknown stages and processors are refused with the known ones listed', async (t) => {
  const { stages } = await openEmbedded(t);
  await stages.create({ name: 'ocr', processor: 'nothing' }, 'anna');
  await assert.rejects(stages.get('orc'), {
    code: 'stage-unknown',
    message: /no stage orc; did you mean ocr\? known stages: ocr/,
  });
  await assert.rejects(stages.create({ name: 'x', processor: 'magic' }, 'anna'), {
    code: 'processor-unknown',
    message: /nothing/,
  });
  await assert.rejects(stages.create({ name: 'ocr', processor: 'nothing' }, 'anna'), {
    code: 'already-exists',
  });
});

test('a configuration that the processor refuses is not stored', async (t) => {
  const { stages, processors } = await openEmbedded(t);
  const check = () => {
    throw new Error('line 1: no');
  };
  processors.register({ name: 'picky', summary: '', check, inline: async () => async () => {} });
  await assert.rejects(stages.create({ name: 'p', processor: 'picky' }, 'anna'), {
    code: 'invalid-input',
    message: /line 1: no/,
  });
  assert.deepEqual(await stages.list(), []);
});

test('a watch reports every stage with its newest version', async (t) => {
  const { stages, coordination } = await openEmbedded(t);
  let seen = new Map<string, number>();
  const unwatch = stages.watch(coordination, (versions) => {
    seen = versions;
  });
  await stages.create({ name: 'a', processor: 'nothing' }, 'anna');
  await stages.change('a', { priority: 5 }, 'anna');
  await eventually('version 2', () => seen.get('a') === 2);
  await stages.delete('a');
  await eventually('gone', () => seen.size === 0);
  unwatch();
});

test('reconcile completes what a crash left half done', async (t) => {
  const { stages, broker, coordination } = await openEmbedded(t);
  await stages.create({ name: 'a', processor: 'nothing' }, 'anna');
  await broker.remove('a');
  await coordination.delete('/stages/a');
  await coordination.set('/stages/ghost', '1');
  await stages.reconcile();
  assert.equal((await broker.status('a')).name, 'a');
  assert.deepEqual(
    (await coordination.children('/stages')).map((node) => node.name),
    ['a'],
  );
});
