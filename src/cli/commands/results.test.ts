import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { encodeRequest, newRequest } from '../../engine/request/request.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { fakeClient, runCommand } from '../testing/run-command.ts';

test('if too few results come in time, results says how many did and how to wait for the rest', async (context) => {
  const directory = await temporaryDirectory(context);
  const request = newRequest({ uuid: randomUUID(), stages: ['done'], files: [], startedAt: 1000 });
  const message = Buffer.from(encodeRequest(request)).toString('base64');
  const waiting = [{ receipt: 'r', uuid: request.uuid, message }];
  const client = fakeClient({ 'results.take': () => ({ results: waiting.splice(0) }) });
  const words = ['results', 'done', '-o', directory, '--wait', '3', '--for', '1s', '--url', 'http://x'];
  const { code, stderr } = await runCommand(words, { client });
  assert.equal(code, 1, stderr);
  assert.match(stderr, /only 1 of 3 results came within 1(\.0)? s; `--wait 2` waits for the rest/);
});
