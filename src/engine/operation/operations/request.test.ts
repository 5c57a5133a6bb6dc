import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alice, mallory, openOperations } from '../../testing/call-operations.ts';
import { putFor } from '../../testing/put-for.ts';

const { engine, call } = await openOperations();
await call('stage.create', { name: 'work', processor: 'nothing' });
const stages = ['work', 'of-alice'];
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
  await refused({ stages, output: 'x' }, /output: is allowed only with a pipeline/);
  await refused({ stages, files: [{ name: 'a' }] }, /files\.0: give either/);
  await refused({ stages, files: [{ name: 'a', content: 'not base64!' }] }, /files\.0\.content/);
  await refused({ stages, files: [{ name: '../a', content }] }, /files\.0\.name: .*without slashes/);
  await refused({ stages, uuid: 'mine' }, /uuid/);
  await refused({ stages, priorty: 1 }, /priorty/);
});

test("a pipeline or request cannot be pointed at somebody else's output queue", async () => {
  await call('pipeline.create', { name: 'p', stages }, alice);
  await assert.rejects(call('request.submit', { stages, files: [] }, mallory), { code: 'forbidden' });
  await assert.rejects(call('request.submit', { pipeline: 'p', files: [] }, mallory), { code: 'forbidden' });
  await assert.rejects(call('pipeline.create', { name: 'q', stages }, mallory), { code: 'forbidden' });
  await assert.rejects(call('pipeline.delete', { name: 'p' }, mallory), { code: 'not-found' });
  const own = await call('request.submit', { pipeline: 'p', output: 'of-mallory', files: [] }, mallory);
  assert.deepEqual(own.stages, ['work', 'of-mallory']);
});
