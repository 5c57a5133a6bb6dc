import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryName } from '../files/temporary-files.ts';
import { encodeRequest, newRequest, newStageLog, type Request } from '../request/request.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { systemClock } from '../time/clock.ts';
import { ResultDirectory } from './result-directory.ts';

const clock = systemClock;

function requestOf(
  files: Record<string, string>,
  status: 'OK' | 'Failed' = 'OK',
  uuid: string = randomUUID(),
): Request {
  const list = Object.entries(files).map(([name, text]) => ({ name, content: Buffer.from(text) }));
  const request = newRequest({ uuid, stages: ['done'], files: list, startedAt: 0 });
  const more = { hostId: 'w', stage: 'read', version: 1, attempt: 1, startedAt: 0, endedAt: 1 };
  request.logs.push(newStageLog({ ...more, status, log: 'line of the log' }));
  return request;
}

const nothing = () => assert.fail('nothing is to be downloaded');
const taken = (request: Request) => ({ message: encodeRequest(request), download: nothing });

async function opened(context: TestContext, messages = false) {
  const directory = await temporaryDirectory(context);
  return { directory, results: await ResultDirectory.open(directory, { messages, clock }) };
}

async function listing(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name !== '.incoming').sort();
}

test('every uuid is saved once, however often and to whichever process it is delivered', async (context) => {
  const { directory, results } = await opened(context);
  const request = requestOf({ 'page.txt': 'text' });
  const other = await ResultDirectory.open(directory, { clock });
  const outcomes = await Promise.all([results, other, results].map((each) => each.save(taken(request))));
  assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), ['duplicate', 'duplicate', 'saved']);
  assert.deepEqual(await listing(directory), [request.uuid]);
  assert.equal(await readFile(join(directory, request.uuid, 'page.txt'), 'utf8'), 'text');
  assert.deepEqual(await readdir(join(directory, '.incoming')), []);
});

test('names cannot leave the directory, and colliding names are kept apart', async (context) => {
  const { directory, results } = await opened(context, true);
  const request = requestOf({ '../evil': '1', '.._evil': '2', '': '3', 'request.pb': '4' }, 'OK', '../../up');
  assert.equal((await results.save(taken(request))).outcome, 'saved');
  const [folder = ''] = await listing(directory);
  assert.match(folder, /^request \.\._\.\._up~[0-9a-f]{16}$/);
  assert.deepEqual(await listing(join(directory, folder)), [
    '_',
    '__evil',
    '__evil~2',
    'request.pb',
    'request~2.pb',
  ]);
  assert.deepEqual(
    await readFile(join(directory, folder, 'request.pb')),
    Buffer.from(encodeRequest(request)),
  );
});

test('a uuid that looks like one of our folders is saved like any other', async (context) => {
  const { directory, results } = await opened(context);
  for (const uuid of ['.incoming', 'unreadable-1', '..', 'a b']) {
    assert.equal((await results.save(taken(requestOf({ a: '1' }, 'OK', uuid)))).outcome, 'saved');
  }
  assert.equal((await listing(directory)).length, 4);
});

test('a failed request is saved with its log and counted separately', async (context) => {
  const { directory, results } = await opened(context);
  const request = requestOf({ 'page.txt': 'half' }, 'Failed');
  await results.save(taken(request));
  assert.deepEqual(results.counts, { saved: 0, failed: 1, duplicate: 0, unreadable: 0 });
  assert.match(
    await readFile(join(directory, request.uuid, 'log.txt'), 'utf8'),
    /read Failed\nline of the log/,
  );
});

test('a request without files leaves its log, so that it is recognised again', async (context) => {
  const { results } = await opened(context);
  const request = requestOf({});
  assert.equal((await results.save(taken(request))).outcome, 'saved');
  assert.equal((await results.save(taken(request))).outcome, 'duplicate');
});

test('large files are fetched and verified; a wrong or broken one leaves nothing and can be retried', async (context) => {
  const { directory, results } = await opened(context);
  const content = Buffer.alloc(300_000, 'x');
  const request = requestOf({ big: '' });
  const [file] = request.results;
  assert.ok(file);
  file.blob = createHash('sha256').update(content).digest('hex');
  const message = encodeRequest(request);
  const from = (...chunks: Uint8Array[]) =>
    async function* () {
      yield* chunks;
    };
  await assert.rejects(results.save({ message, download: from(Buffer.from('wrong')) }), {
    code: 'blob-corrupt',
  });
  const broken = async function* () {
    yield content;
    throw new Error('connection lost');
  };
  await assert.rejects(results.save({ message, download: broken }), /connection lost/);
  assert.deepEqual(await listing(directory), []);
  assert.deepEqual(await readdir(join(directory, '.incoming')), []);
  assert.equal((await results.save({ message, download: from(content) })).outcome, 'saved');
  assert.equal((await readFile(join(directory, request.uuid, 'big'))).length, 300_000);
});

test('a message that is not a request is kept unchanged, once', async (context) => {
  const { directory, results } = await opened(context);
  const poison = { message: Buffer.from([0xff, 0xff, 1]), download: nothing };
  assert.deepEqual(await results.save(poison), { uuid: null, outcome: 'unreadable' });
  assert.equal((await results.save(poison)).outcome, 'duplicate');
  const [folder = ''] = await listing(directory);
  assert.deepEqual(await readFile(join(directory, folder, 'message.bin')), poison.message);
});

test('unfinished directories of killed processes are removed, those of running ones are not', async (context) => {
  const directory = await temporaryDirectory(context);
  const incoming = join(directory, '.incoming');
  await ResultDirectory.open(directory, { clock });
  const [host] = temporaryName().split('~');
  const dead = join(incoming, `${host}~4194304~${randomUUID()}`);
  const living = join(incoming, `${host}~${process.pid}~${randomUUID()}`);
  for (const folder of [dead, living]) {
    await mkdir(folder);
    await writeFile(join(folder, 'half'), 'x');
  }
  await ResultDirectory.open(directory, { clock });
  assert.deepEqual(await readdir(incoming), [living.slice(incoming.length + 1)]);
});
