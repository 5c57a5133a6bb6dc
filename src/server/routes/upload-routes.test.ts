import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { runServer } from '../testing/running-server.ts';

test('an upload that broke off goes on where it was, and its bytes come together', async (t) => {
  const server = await runServer(t);
  const anna = await server.signUp('anna', 'user');
  const { upload } = (await server.call('upload.create', {}, anna)).body;
  const put = (offset: number, text: string) =>
    server.send('PUT', `/api/v1/uploads/${upload}/${offset}`, { ...anna, body: Buffer.from(text) });
  assert.deepEqual((await put(0, 'first ')).body, { offset: 6 });
  // The answer was lost, so the client sends the part again and learns at which offset to continue.
  const again = await put(0, 'first ');
  assert.deepEqual(
    [again.status, again.body.error.code, again.body.error.details.offset],
    [409, 'conflict', 6],
  );
  assert.deepEqual((await server.call('upload.show', { upload }, anna)).body, { offset: 6 });
  assert.deepEqual((await put(6, 'second')).body, { offset: 12 });
  const { hash, size } = (await server.call('upload.finish', { upload }, anna)).body;
  assert.equal(size, 12);
  assert.equal(Buffer.from(await readBlob(server.engine.blobs, hash)).toString(), 'first second');
  const repeated = await server.call('upload.finish', { upload }, anna);
  assert.deepEqual(repeated.body, { hash, size }, 'finishing twice is harmless');
});

test('parts are limited one by one and together, and are taken from the owner only', async (t) => {
  const server = await runServer(t, { http: { bodyLimitMb: 0.001 } });
  const [anna, bert] = [await server.signUp('anna', 'user'), await server.signUp('bert', 'user')];
  const { upload } = (await server.call('upload.create', {}, anna)).body;
  const put = (path: string, as: { key: string }, bytes = 10) =>
    server.send('PUT', `/api/v1/uploads/${path}`, { ...as, body: Buffer.alloc(bytes) });
  assert.equal((await put(`${upload}/0`, anna, 2000)).body.error.code, 'too-large');
  assert.equal((await put(`${upload}/0`, bert)).body.error.code, 'not-found');
  assert.equal((await put('nothing/0', anna)).body.error.code, 'not-found');
  assert.equal((await put(`${upload}/x`, anna)).body.error.code, 'invalid-input');
  server.engine.settings.upload.limitMb = 0.0005;
  assert.equal((await put(`${upload}/0`, anna, 600)).body.error.code, 'too-large');
  assert.equal((await put(`${upload}/0`, anna, 100)).status, 200);
});

test('a user over the limit of unused uploads is refused, and the message says what to do', async (t) => {
  const server = await runServer(t);
  const [anna, bert] = [await server.signUp('anna', 'user'), await server.signUp('bert', 'user')];
  Object.assign(server.engine.settings.upload, { open: 2, unusedMb: 1 });
  const begin = (as: { key: string }) => server.call('upload.create', {}, as);
  const put = (upload: string, as: { key: string }, bytes: number) =>
    server.send('PUT', `/api/v1/uploads/${upload}/0`, { ...as, body: randomBytes(bytes) });
  const [first, second] = [(await begin(anna)).body.upload, (await begin(anna)).body.upload];
  const refused = await begin(anna);
  assert.deepEqual([refused.status, refused.body.error.code], [429, 'quota-exceeded']);
  assert.match(refused.body.error.message, /Finish or delete some/);
  assert.equal((await put(first, anna, 600_000)).status, 200);
  const tooMuch = await put(second, anna, 5_000_000);
  assert.deepEqual([tooMuch.status, tooMuch.body.error.code], [429, 'quota-exceeded']);
  assert.equal(
    (await put(first, anna, 5_000_000)).status,
    409,
    'the bytes of a wrong part are not waited for',
  );
  assert.equal((await put((await begin(bert)).body.upload, bert, 600_000)).status, 200);

  const { uploads } = (await server.call('upload.ls', {}, anna)).body;
  assert.deepEqual(
    uploads.map(({ upload, state, offset }: Record<string, unknown>) => [upload, state, offset]),
    [
      [second, 'open', 0],
      [first, 'open', 600_000],
    ],
  );
  assert.equal((await server.call('upload.delete', { upload: first }, bert)).status, 404);
  assert.equal((await server.call('upload.delete', { upload: first }, anna)).status, 200);
  const root = await server.signUp('root', 'admin');
  assert.equal((await server.call('upload.delete', { upload: first }, root)).status, 404);
  assert.equal((await put(second, anna, 600_000)).status, 200);
  assert.equal((await begin(anna)).status, 200);
});
