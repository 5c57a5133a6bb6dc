import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endRequests } from '../../request/open-requests.ts';
import { admin, alice, mallory, openOperations } from '../../testing/call-operations.ts';
import { putFor } from '../../testing/put-for.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });
const stages = ['work', 'alice/of-alice'];
const content = Buffer.from('a page').toString('base64');

test('files are submitted with their content, or by the hash of an upload', async () => {
  const { hash } = await putFor(engine, 'alice', Buffer.from('uploaded'));
  const files = [
    { name: 'a.txt', content },
    { name: 'b.txt', blob: hash },
  ];
  const answer = await call('request.submit', { stages, files }, alice);
  assert.deepEqual(answer.stages, stages);
  const { messages } = await call('queue.peek', { queue: 'work' });
  assert.equal(messages[0].request.uuid, answer.uuid);
  assert.deepEqual(messages[0].request.files, [
    { name: 'a.txt', size: 6, blob: null },
    { name: 'b.txt', size: 8, blob: hash },
  ]);
});

test('an input that contradicts itself is refused with what to do', async () => {
  const refused = (input: object, message: RegExp) =>
    assert.rejects(call('request.submit', { files: [], ...input }, alice), {
      code: 'invalid-input',
      message,
    });
  await refused({}, /either a pipeline or a list of stages/);
  await refused({ stages, pipeline: 'p' }, /either a pipeline or a list of stages/);
  await refused({ stages, output: 'x' }, /^output is allowed only with a pipeline/);
  await refused({ stages, files: [{ name: 'a' }] }, /files\.0: give either/);
  await refused({ stages, files: [{ name: 'a', content: 'not base64!' }] }, /files\.0\.content/);
  await refused({ stages, files: [{ name: '../a', content }] }, /files\.0\.name: .*without slashes/);
  await refused({ stages, uuid: 'mine' }, /uuid/);
  await refused({ stages, priorty: 1 }, /priorty/);
});

test("a pipeline or request cannot be pointed at somebody else's output queue", async () => {
  await call('pipeline.create', { name: 'p', stages }, alice);
  await assert.rejects(call('request.submit', { stages, files: [] }, mallory), { code: 'forbidden' });
  await assert.rejects(call('request.submit', { pipeline: 'alice/p', files: [] }, mallory), {
    code: 'forbidden',
  });
  await assert.rejects(call('pipeline.create', { name: 'q', stages }, mallory), { code: 'forbidden' });
  await assert.rejects(call('pipeline.create', { name: 'alice/q', stages: ['work', 'o'] }, mallory), {
    code: 'forbidden',
  });
  for (const name of ['p', 'alice/p'])
    await assert.rejects(call('pipeline.delete', { name }, mallory), { code: 'not-found' });
  const own = await call('request.submit', { pipeline: 'alice/p', output: 'of-mallory', files: [] }, mallory);
  assert.deepEqual(own.stages, ['work', 'mallory/of-mallory']);
  await call('request.submit', { pipeline: 'p', files: [] }, alice);
});

test('users may use the same name for a pipeline, and each means their own; an administrator’s is for all', async () => {
  await call('pipeline.create', { name: 'ocr', stages: ['work', 'for-all'] }, admin);
  const usual = await call('request.submit', { pipeline: 'ocr', files: [] }, mallory);
  assert.deepEqual(usual.stages, ['work', 'mallory/for-all']);
  for (const by of [alice, mallory]) {
    const made = await call('pipeline.create', { name: 'ocr', stages: ['work', 'mine'] }, by);
    assert.deepEqual([made.name, made.stages.at(-1)], [`${by.name}/ocr`, `${by.name}/mine`]);
    assert.equal((await call('pipeline.show', { name: 'ocr' }, by)).name, `${by.name}/ocr`);
    const { stages } = await call('request.submit', { pipeline: 'ocr', files: [] }, by);
    assert.equal(stages.at(-1), `${by.name}/mine`);
    await assert.rejects(call('pipeline.create', { name: 'ocr', stages: ['work', 'mine'] }, by), {
      code: 'already-exists',
    });
  }
  assert.equal((await call('pipeline.show', { name: 'ocr' }, admin)).name, 'ocr');
  await call('pipeline.delete', { name: 'ocr' }, alice);
  assert.equal((await call('pipeline.show', { name: 'ocr' }, alice)).name, 'ocr');
});

test('a user may have only so many pipelines', async () => {
  const { pipelines } = engine.settings.limits;
  const by = { ...alice, name: 'many' };
  for (let count = 0; count < pipelines; count++)
    await call('pipeline.create', { name: `p${count}`, stages: ['work', 'o'] }, by);
  await assert.rejects(call('pipeline.create', { name: 'more', stages: ['work', 'o'] }, by), {
    code: 'quota-exceeded',
    message: /limits\.pipelines/,
  });
});

test('a request is cancelled by the user who submitted it or an administrator, until its result is collected', async () => {
  const { uuid } = await call('request.submit', { stages, files: [] }, alice);
  const cancelled = async () =>
    (await engine.database.query.selectFrom('cancelled').select(['owner', 'name']).execute()).filter(
      ({ name }) => name === uuid,
    );
  await assert.rejects(call('request.cancel', { uuid }, mallory), { code: 'not-found' });
  // Another user's request of the same uuid is another request.
  await call('request.submit', { stages: ['work', 'o'], files: [], uuid }, mallory);
  await call('request.cancel', { uuid }, mallory);
  assert.deepEqual(await cancelled(), [{ owner: 'mallory', name: uuid }]);
  for (const _ of ['once', 'twice']) await call('request.cancel', { uuid }, alice);
  assert.equal((await cancelled()).length, 2);
  await endRequests(engine.database.query, [{ uuid, owner: 'alice' }]);
  await assert.rejects(call('request.cancel', { uuid }, alice), { code: 'not-found' });
  await call('request.cancel', { uuid }, admin);
  assert.deepEqual(await cancelled(), [{ owner: 'mallory', name: uuid }]);
});

test('a user without the right to priority is refused', async () => {
  const urgent = { stages, files: [], priority: 1 };
  await assert.rejects(call('request.submit', urgent, alice), { code: 'forbidden', message: /priority/ });
  await call('request.submit', urgent, { ...alice, mayPrioritise: true });
});
