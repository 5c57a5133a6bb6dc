import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { readBlob } from '../blobs/blobs.ts';
import { hasCode, type PismakError } from '../errors.ts';
import { inlineLimit } from '../results/job-files.ts';
import { requestOwner } from '../results/result-files.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { putFor } from '../testing/put-for.ts';
import { decodeRequest } from './request.ts';
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
  const stages = ['first', 'second', `done-${++queues}`];
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
    submission({ uuid, stages, files: [{ name: 'page.txt', content }], priority: 1 }),
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
  await assert.rejects(submitRequest(engine, mallory), refusedWith('forbidden', /belongs to another user/));
  assert.equal((await waiting('first')).length, before);
  await submitRequest(engine, { ...mallory, owner: 'root', role: 'admin' });
  assert.equal(await engine.pipelines.outputOwner(stages.at(-1) ?? ''), 'alice');
});

test('if two users create the same output queue at once, one gets it', async () => {
  const { stages } = submission();
  const both = ['alice', 'bob'].map((owner) => submitRequest(engine, submission({ stages, owner })));
  const outcomes = await Promise.allSettled(both);
  assert.equal(outcomes.filter((outcome) => outcome.status === 'fulfilled').length, 1);
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
  const output = `of-alice-${++queues}`;
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
