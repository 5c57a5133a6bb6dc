import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { PismakError } from '../../engine/ground/errors.ts';
import { uploadCreate, uploadFinish } from '../../engine/operation/operations/upload.ts';
import { openOperations } from '../../engine/testing/call-operations.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import type { Client } from '../../terminal/client/client.ts';
import { hashFile, partBytes, uploadFile } from '../../terminal/client/upload-file.ts';
import { engineClient } from './engine-client.ts';

const { engine, call } = await openOperations();
const { signal } = new AbortController();
/** Time passes at once for those who wait before they try again. */
const session = { clock: { ...systemClock, after: hurry }, signal };
const size = 2 * partBytes + 1000;

function hurry(_: number, work: () => void): () => void {
  return systemClock.after(0, work);
}

/** A file of a little more than two parts. */
async function largeFile(t: TestContext, words: string): Promise<string> {
  const path = join(await temporaryDirectory(t), 'model.bin');
  const file = await open(path, 'w');
  await file.truncate(size);
  await file.write(words, partBytes - 10);
  await file.close();
  return path;
}

/** The engine's client. `before` sees each call or part first, and may throw. */
function watched(before: (what: string, times: number) => void): Client & { parts: number[] } {
  const client = engineClient(engine, signal);
  const parts: number[] = [];
  const times = new Map<string, number>();
  const count = (what: string) => {
    times.set(what, (times.get(what) ?? 0) + 1);
    before(what, times.get(what) ?? 0);
  };
  return {
    ...client,
    parts,
    async call(operation, input) {
      count(operation.name);
      return client.call(operation, input);
    },
    upload: () => assert.fail('a large file in one piece is refused by a server'),
    async uploadPart(upload, offset, content) {
      count(`part ${offset}`);
      const answer = await client.uploadPart(upload, offset, content);
      parts.push(offset);
      count(`answer ${offset}`);
      return answer;
    },
  };
}

const broken = () => new PismakError('unavailable', 'the connection broke');

test('a broken upload goes on with the part that is missing, whatever broke', async (t) => {
  const path = await largeFile(t, 'whatever broke');
  const breaks = ['upload.create', 'part 0', `answer ${partBytes}`, 'upload.show', 'upload.finish'];
  const client = watched((what, times) => {
    if (breaks.includes(what) && times === 1) throw broken();
  });
  assert.deepEqual(await uploadFile(client, path, session), { hash: await hashFile(path), size });
  assert.deepEqual(client.parts, [0, partBytes, 2 * partBytes]);
});

test('a sender that was killed continues when it is started again', async (t) => {
  const path = await largeFile(t, 'killed');
  const killed = watched((what) => {
    if (what === `part ${2 * partBytes}`) throw new Error('killed');
  });
  await assert.rejects(uploadFile(killed, path, session), /killed/);
  const again = watched(() => {});
  assert.deepEqual(await uploadFile(again, path, session), { hash: await hashFile(path), size });
  assert.deepEqual([killed.parts, again.parts], [[0, partBytes], [2 * partBytes]]);
  assert.deepEqual((await call('upload.ls', {}, local)).uploads.filter(isOpen), []);
});

test('what is stored already does not travel again', async (t) => {
  const path = await largeFile(t, 'stored already');
  const first = await uploadFile(
    watched(() => {}),
    path,
    session,
  );
  const again = watched(() => {});
  assert.deepEqual(await uploadFile(again, path, session), first);
  assert.deepEqual(again.parts, []);
});

test('bytes that are not those of the announced hash are refused, and nothing of them stays', async () => {
  const client = engineClient(engine, signal);
  const hash = 'ab'.repeat(32);
  const { upload } = await client.call(uploadCreate, { hash });
  await client.uploadPart(upload, 0, Buffer.from('other '));
  await client.uploadPart(upload, 6, Buffer.from('bytes'));
  await assert.rejects(
    client.call(uploadFinish, { upload }),
    /SHA-256 [0-9a-f]{64}, not (ab){32} as announced/,
  );
  await assert.rejects(client.call(uploadFinish, { upload }), /no longer exists/);
  assert.equal((await client.call(uploadCreate, { hash })).offset, 0);
});

const local = { name: 'local', role: 'admin', address: 'here' } as const;
const isOpen = ({ state }: { state: string }) => state !== 'finished';
