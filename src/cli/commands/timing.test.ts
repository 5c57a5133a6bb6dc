import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { messageRow } from '../../engine/operation/operations/message-row.ts';
import { encodeRequest, newRequest, newStageLog } from '../../engine/request/request.ts';
import { ResultDirectory } from '../../engine/results/result-directory.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';
import { sampleOf } from '../testing/sample-of.ts';

function finished(status: 'OK' | 'Failed'): Uint8Array {
  const request = newRequest({ uuid: randomUUID(), stages: ['done'], files: [], startedAt: 1000 });
  const more = { hostId: 'w', stage: 'read', version: 1, attempt: 1, log: '' };
  request.logs.push(newStageLog({ ...more, startedAt: 3000, endedAt: 3500, status }));
  return encodeRequest(request);
}

test('timing reads what results has saved', async (context) => {
  const directory = await temporaryDirectory(context);
  const results = await ResultDirectory.open(directory, { messages: true, clock: systemClock });
  const download = () => assert.fail('nothing to download');
  for (const status of ['OK', 'Failed'] as const) await results.save({ message: finished(status), download });
  const { stdout, code } = await runCommand(['timing', directory]);
  assert.equal(code, 0);
  assert.match(stdout, /^read +2 +1 +2\.0 s +2\.0 s +2\.0 s +500 ms/m);
  assert.match(stdout, /^done +2 +1 +2\.5 s/m);
});

test('timing looks into a queue page by page, and leaves out what is no request', async () => {
  const bodies = [...Array.from({ length: 130 }, () => finished('OK')), Buffer.from([0xff])];
  const client = fakeClient({
    'queue.peek': ({ offset, limit }: { offset: number; limit: number }) => ({
      // Only some bodies fit into one answer.
      messages: bodies.slice(offset, offset + limit).map((body, index) => ({
        ...sampleOf(messageRow),
        body: index < 60 ? Buffer.from(body).toString('base64') : null,
      })),
    }),
  });
  const { stdout } = await runCommand(['timing', '--queue', 'done', '--json'], { client });
  const { requests, unreadable } = JSON.parse(stdout) as { requests: number; unreadable: number };
  assert.deepEqual([requests, unreadable], [130, 1]);
});

test('timing says what is missing', async (context) => {
  assert.equal((await runCommand(['timing'])).code, 2);
  assert.equal((await runCommand(['timing', '/nowhere'])).code, 3);
  assert.match((await runCommand(['timing', await temporaryDirectory(context)])).stderr, /--messages/);
});
