import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { readBlob } from '../blobs/blobs.ts';
import { hasCode, type PismakError } from '../ground/errors.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { putFor } from '../testing/put-for.ts';
import { createOpenRequests, endRequests } from './open-requests.ts';
import { decodeRequest } from './request.ts';
import { inlineLimit, requestOwner } from './result-files.ts';
import { prepareStages, type Submission, submitRequest } from './submit.ts';

const engine = await openEmbedded({ after: after as TestContext['after'] });
for (const definition of [
  { name: 'first' },
  { name: 'second' },
  { name: 'notify', mode: 'shared' as const },
  { name: 'short', maxLength: 1 },
]) {
  await engine.stages.create({ processor: 'nothing', ...definition }, 'admin');
}

let queues = 0;
/** By user alice, to a new output queue. */
function submission(changes: Partial<Submission> = {}): Submission {
  const stages = ['first', 'second', `${changes.owner ?? 'alice'}/done-${++queues}`];
  return { stages, files: [], owner: 'alice', uuid: randomUUID(), ...changes };
}

/** All requests that wait for a queue. Nothing releases the backlog here, so what waits in it came last. */
async function waiting(queue: string) {
  const inQueue = await engine.broker.peek(queue, { limit: 1000 });
  const backlog = engine.database.query.selectFrom('backlog').selectAll().where('queue', '=', queue);
  return [...inQueue, ...(await backlog.orderBy('id').execute())];
}

async function last(queue: string) {
  const message = (await waiting(queue)).at(-1);
  assert.ok(message);
  return { message, request: decodeRequest(message.body) };
}

function refusedWith(code: PismakError['code'], text: RegExp) {
  return (error: unknown) => hasCode(error, code) && text.test(error.message);
}

async function ownedBy(uuid: string): Promise<string[]> {
  const rows = await engine.database.query
    .selectFrom('blobRef')
    .select('hash')
    .where('owner', '=', requestOwner({ uuid, owner: 'alice' }))
    .execute();
  return rows.map((row) => row.hash);
}

test('a request waits in the queue of its first stage, as it was submitted', async () => {
  const content = Buffer.from('a page');
  const { uuid, stages } = submission();
  await submitRequest(
    engine,
    submission({ uuid, stages, files: [{ name: 'page.txt', content }], priority: 1, mayPrioritise: true }),
  );
  const { request, message } = await last('first');
  assert.equal(message.lane, 'high');
  assert.equal(request.uuid, uuid);
  assert.deepEqual(request.processingStages, stages);
  assert.equal(request.owner, 'alice');
  assert.equal(request.acceptsReferences, true);
  assert.deepEqual(Buffer.from(request.results[0]?.content ?? []), content);
});

test('a request that nothing waits before is in the queue at once; many wait in the backlog', async () => {
  await engine.stages.create({ name: 'idle', processor: 'nothing' }, 'admin');
  const stages = ['idle', `done-${++queues}`];
  await submitRequest(engine, submission({ stages }));
  assert.equal((await engine.broker.status('idle')).ready.normal, 1);
  await Promise.all(Array.from({ length: 30 }, () => submitRequest(engine, submission({ stages }))));
  assert.equal((await engine.broker.status('idle')).ready.normal, 4);
  assert.equal((await waiting('idle')).length, 31);
});

test('a request that nobody could publish is refused at once, not stored', async () => {
  const files = Array.from({ length: 300 }, (_, index) => ({
    name: `f${index}`,
    content: Buffer.alloc(inlineLimit),
  }));
  const before = (await waiting('first')).length;
  await assert.rejects(submitRequest(engine, submission({ files })), (error) =>
    hasCode(error, 'message-too-large'),
  );
  assert.equal((await waiting('first')).length, before);
});

test('a request without a uuid gets one, and its output queue is made', async () => {
  const { uuid: _, ...without } = submission();
  const { uuid } = await submitRequest(engine, without);
  assert.match(uuid, /^[0-9a-f-]{36}$/);
  const output = without.stages?.at(-1) ?? '';
  assert.equal((await engine.broker.status(output)).name, output);
  assert.equal(await engine.pipelines.outputOwner(output), 'alice');
});

test('the same uuid can be submitted again', async () => {
  const twice = submission();
  const before = (await waiting('first')).length;
  await submitRequest(engine, twice);
  await submitRequest(engine, twice);
  assert.equal((await waiting('first')).length, before + 2);
});

test('a large file travels by reference, and the request owns its blob', async () => {
  const content = Buffer.alloc(inlineLimit + 1, 7);
  const { uuid } = await submitRequest(engine, submission({ files: [{ name: 'scan.png', content }] }));
  const [file] = (await last('first')).request.results;
  assert.equal(file?.content.length, 0);
  assert.equal(Number(file?.size), content.length);
  assert.deepEqual(Buffer.from(await readBlob(engine.blobs, file?.blob ?? '')), content);
  assert.deepEqual(await ownedBy(uuid), [file?.blob]);
});

test('an uploaded file is referred to by its hash, with its size', async () => {
  const { hash, size } = await putFor(engine, 'alice', Buffer.from('uploaded before'));
  const { uuid } = await submitRequest(engine, submission({ files: [{ name: 'a.txt', blob: hash }] }));
  const [file] = (await last('first')).request.results;
  assert.equal(file?.blob, hash);
  assert.equal(Number(file?.size), size);
  assert.deepEqual(await ownedBy(uuid), [hash]);
});

test('a file that was never uploaded is refused', async () => {
  const files = [{ name: 'a.txt', blob: '0'.repeat(64) }];
  await assert.rejects(submitRequest(engine, submission({ files })), (error) =>
    hasCode(error, 'blob-missing'),
  );
});

test('an unknown stage is refused, and the known ones are listed', async () => {
  const stages = ['first', 'secnod', 'out'];
  await assert.rejects(
    submitRequest(engine, submission({ stages })),
    refusedWith('stage-unknown', /secnod.*first.*second/),
  );
});

test('a request needs a stage besides its output queue', async () => {
  await assert.rejects(
    submitRequest(engine, submission({ stages: ['out'] })),
    refusedWith('invalid-input', /at least one/),
  );
});

test("only an administrator can send results to another user's output queue", async () => {
  const { stages = [] } = submission();
  await submitRequest(engine, submission({ stages }));
  const before = (await waiting('first')).length;
  const mallory = submission({ stages, owner: 'mallory' });
  await assert.rejects(submitRequest(engine, mallory), refusedWith('forbidden', /would belong to alice/));
  assert.equal((await waiting('first')).length, before);
  await submitRequest(engine, { ...mallory, owner: 'root', role: 'admin' });
  assert.equal(await engine.pipelines.outputOwner(stages.at(-1) ?? ''), 'alice');
});

test('two users may give their output queues the same name, which shuts out neither', async () => {
  const stages = ['first', 'results'];
  await submitRequest(engine, submission({ stages, owner: 'root', role: 'admin' }));
  const both = ['alice', 'bob'].map((owner) => submitRequest(engine, submission({ stages, owner })));
  const outputs = (await Promise.all(both)).map((request) => request.processingStages.at(-1));
  assert.deepEqual(outputs, ['alice/results', 'bob/results']);
  assert.equal(await engine.pipelines.outputOwner('results'), 'root');
  for (const owner of ['alice', 'bob'])
    assert.equal(await engine.pipelines.outputOwner(`${owner}/results`), owner);
});

test('a queue that was made for the whole installation stays with its owner when that is no administrator any more', async () => {
  const stages = ['first', 'was-admins'];
  await submitRequest(engine, submission({ stages, owner: 'alice', role: 'admin' }));
  const { processingStages } = await submitRequest(engine, submission({ stages }));
  assert.deepEqual(processingStages, stages);
});

test('priority is refused to users without the right to it', async () => {
  const { stages } = submission();
  const sending = submitRequest(engine, submission({ stages, priority: 1 }));
  await assert.rejects(sending, refusedWith('forbidden', /ask an administrator for the right/));
  await submitRequest(engine, submission({ stages, priority: 0 }));
  await submitRequest(engine, submission({ stages, priority: 7, role: 'admin' }));
});

test('a user who submits without end is refused, until results are collected; an administrator is not', async () => {
  const owner = 'busy';
  const settings = { ...engine.settings, limits: { ...engine.settings.limits, openRequests: 3 } };
  const openRequests = createOpenRequests({ ...engine, settings });
  const limited = { ...engine, settings, openRequests };
  const stages = ['first', 'out'];
  const submit = (more: Partial<Submission> = {}) =>
    submitRequest(limited, submission({ owner, stages, ...more }));
  const uuids = [];
  for (let count = 0; count < 3; count++) uuids.push((await submit()).uuid);
  await assert.rejects(submit(), refusedWith('quota-exceeded', /the limit is 3.*[Cc]ollect/));
  await submit({ role: 'admin', stages: ['first', 'busy/out'] });
  await endRequests(engine.database.query, [{ owner, uuid: uuids[0] ?? '' }]);
  await endRequests(engine.database.query, [{ owner, uuid: uuids[1] ?? '' }]);
  await eventually('it is noticed', () =>
    submit().then(
      () => true,
      () => false,
    ),
  );
});

test('the same uuid without end is no way around the limit', async () => {
  const again = submission();
  for (let count = 0; count < 10; count++) await submitRequest(engine, again);
  await assert.rejects(submitRequest(engine, again), refusedWith('conflict', /give another uuid/));
});

test('a refused request leaves no trace: it does not count', async () => {
  const stages = ['short', 'out'];
  await submitRequest(engine, submission({ owner: 'dora', stages }));
  const refused = submission({ owner: 'dora', stages });
  for (let count = 0; count < 20; count++)
    await assert.rejects(submitRequest(engine, refused), (error) => hasCode(error, 'queue-full'));
  assert.deepEqual(await engine.openRequests.ownersOf(refused.uuid ?? ''), []);
  await engine.broker.purge('short');
});

test('a user may have only so many output queues', async () => {
  const settings = { ...engine.settings, limits: { ...engine.settings.limits, outputQueues: 2 } };
  const submit = (output: string, more: Partial<Submission> = {}) =>
    submitRequest({ ...engine, settings }, submission({ owner: 'many', stages: ['first', output], ...more }));
  for (const output of ['one', 'two', 'one']) await submit(output);
  await assert.rejects(submit('three'), refusedWith('quota-exceeded', /limits.outputQueues.*queue delete/));
  await assert.rejects(engine.broker.status('many/three'), (error) => hasCode(error, 'queue-unknown'));
  await submit('many/three', { role: 'admin' });
});

test('users can use shared stages only in the pipelines of administrators', async () => {
  const { stages = [] } = submission();
  const withShared = ['first', 'notify', ...stages.slice(-1)];
  await assert.rejects(
    submitRequest(engine, submission({ stages: withShared })),
    refusedWith('forbidden', /shared/),
  );
  await assert.rejects(
    prepareStages(engine, withShared, { owner: 'alice', role: 'user' }),
    refusedWith('forbidden', /shared/),
  );
  await engine.pipelines.create({ name: 'notified', stages: withShared, owner: 'root' });
  const output = `alice/of-alice-${++queues}`;
  const { uuid, owner, files } = submission();
  const request = await submitRequest(engine, { pipeline: 'notified', output, uuid, owner, files });
  assert.deepEqual(request.processingStages, ['first', 'notify', output]);
  await assert.rejects(
    submitRequest(engine, { pipeline: 'notified', output: 'notify', uuid, owner, files }),
    refusedWith('forbidden', /shared/),
  );
});

test('a pipeline stands for its stages', async () => {
  const { stages = [], uuid } = submission();
  await engine.pipelines.create({ name: 'pages', stages, owner: 'alice' });
  await submitRequest(engine, { pipeline: 'pages', owner: 'alice', uuid, files: [] });
  const { request } = await last('first');
  assert.equal(request.uuid, uuid);
  assert.equal(request.pipeline, 'pages');
  assert.deepEqual(request.processingStages, stages);
});

test('an unknown pipeline is refused, and the known ones are listed', async () => {
  const stages = submission().stages ?? [];
  await engine.pipelines.create({ name: 'known-one', stages, owner: 'alice' });
  await assert.rejects(
    submitRequest(engine, { pipeline: 'unknown-one', owner: 'alice', files: [] }),
    refusedWith('not-found', /unknown-one.*known-one/),
  );
});

test('an invalid uuid is refused', async () => {
  for (const uuid of ['', 'x', '../../etc', `${randomUUID()}0`]) {
    await assert.rejects(
      submitRequest(engine, submission({ uuid })),
      refusedWith('invalid-input', /not a UUID/),
    );
  }
});

test('file names cannot leave a directory or repeat', async () => {
  const content = Buffer.from('x');
  for (const name of ['', '.', '..', 'a/b', '..\\b', 'a\u0000b', 'a\nb', 'x'.repeat(256)]) {
    await assert.rejects(
      submitRequest(engine, submission({ files: [{ name, content }] })),
      /without slashes/,
    );
  }
  const twice = [
    { name: 'a', content },
    { name: 'a', content },
  ];
  await assert.rejects(
    submitRequest(engine, submission({ files: twice })),
    refusedWith('invalid-input', /names must differ/),
  );
});

test('a blob that a request names sixty times is looked up once and never read', async () => {
  const content = Buffer.alloc(100_000, 'x');
  const { hash } = await putFor(engine, 'alice', content);
  let lookups = 0;
  const blobs = {
    ...engine.blobs,
    get: () => assert.fail('the content was read'),
    size: (name: string) => {
      lookups++;
      return engine.blobs.size(name);
    },
  };
  const files = Array.from({ length: 60 }, (_, index) => ({ name: `${index}.tif`, blob: hash }));
  const { uuid } = await submitRequest({ ...engine, blobs }, submission({ files }));
  assert.equal(lookups, 1);
  const { request } = await last('first');
  assert.equal(request.uuid, uuid);
  assert.deepEqual(new Set(request.results.map(({ size }) => size)), new Set([BigInt(content.length)]));
  assert.deepEqual(await ownedBy(uuid), [hash]);
});

test('a request refused by a full queue owns no blobs, unless its uuid may have arrived before', async () => {
  const stages = ['short', `done-${++queues}`];
  await submitRequest(engine, submission({ stages }));
  const owned = () => engine.database.query.selectFrom('blobRef').selectAll().execute();
  const before = (await owned()).length;
  const files = [{ name: 'scan.png', content: Buffer.alloc(inlineLimit + 1, 8) }];
  const { uuid, ...without } = submission({ stages, files });
  await assert.rejects(submitRequest(engine, without), (error) => hasCode(error, 'queue-full'));
  assert.equal((await owned()).length, before);
  await assert.rejects(submitRequest(engine, { ...without, uuid }), (error) => hasCode(error, 'queue-full'));
  assert.equal((await ownedBy(uuid ?? '')).length, 1);
});
