import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { queueList, queuePeek, queuePurge } from '../../engine/operation/operations/queue.ts';
import { resultsConfirm, resultsRelease, resultsTake } from '../../engine/operation/operations/results.ts';
import { stageList, stageShow } from '../../engine/operation/operations/stage.ts';
import { systemClock } from '../../engine/time/clock.ts';
import { openHttpClient } from './http-client.ts';

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A client and something that speaks HTTP at the other end. */
async function connect(context: TestContext, handler: Handler, interruption = new AbortController().signal) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handler(request, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix/`;
  const client = openHttpClient({ url, token: 'secret', clock: systemClock, interruption });
  context.after(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return client;
}

test('reads are GET with the input in the query, changes are POST with JSON, both with the token', async (context) => {
  const seen: unknown[] = [];
  const client = await connect(context, (request, body, response) => {
    seen.push([request.method, request.url, request.headers.authorization, body]);
    response.end('{"done":true}');
  });
  const peeked: unknown = await client.call(queuePeek, { queue: 'a b', limit: 5, offset: undefined });
  assert.deepEqual(peeked, { done: true });
  await client.call(queuePurge, { queue: 'q' });
  assert.deepEqual(seen, [
    ['GET', '/prefix/api/v1/queue/peek?queue=a+b&limit=5', 'Bearer secret', ''],
    ['POST', '/prefix/api/v1/queue/purge', 'Bearer secret', '{"queue":"q"}'],
  ]);
});

test('an answer of a newer server may have fields that this version does not know', async (context) => {
  const client = await connect(context, (_request, _body, response) =>
    response.end('{"stages":[{"name":"s","colour":"red"}],"total":1}'),
  );
  assert.deepEqual((await client.call(stageList, {})) as unknown, {
    stages: [{ name: 's', colour: 'red' }],
    total: 1,
  });
});

test('an error keeps its code; a server that is not Pismak is reported', async (context) => {
  const client = await connect(context, (request, _body, response) => {
    const known = request.url?.includes('stage');
    response.statusCode = 404;
    response.end(
      known ? '{"error":{"code":"stage-unknown","message":"no stage","details":{"known":[]}}}' : '<html>',
    );
  });
  await assert.rejects(client.call(stageShow, { name: 's' }), {
    code: 'stage-unknown',
    message: 'no stage',
    details: { known: [] },
  });
  await assert.rejects(client.call(queueList, {}), {
    code: 'unavailable',
    message: /not Pismak: it answered with status 404/,
  });
});

test('when told to be slower, it waits and tries again', async (context) => {
  let count = 0;
  const client = await connect(context, (_request, _body, response) => {
    if (count++ === 0) response.writeHead(429, { 'retry-after': '0.01' });
    response.end('{}');
  });
  await client.call(stageList, {});
  assert.equal(count, 2);
});

test('bytes are streamed both ways', async (context) => {
  const client = await connect(context, (request, body, response) => {
    if (request.method === 'POST') response.end(JSON.stringify({ hash: 'h', size: body.length }));
    else response.end(`bytes of ${request.url}`);
  });
  const content = async function* () {
    for (let part = 0; part < 10; part++) yield Buffer.alloc(100_000, 'x');
  };
  assert.deepEqual(await client.upload(content()), { hash: 'h', size: 1_000_000 });
  let text = '';
  for await (const chunk of client.download('r/1', 'h')) text += Buffer.from(chunk).toString();
  assert.equal(text, 'bytes of /prefix/api/v1/results/r%2F1/blobs/h');
});

test('a server that does not run is `unavailable`, and the error does not show the token', async () => {
  const interruption = new AbortController().signal;
  const client = openHttpClient({
    url: 'http://127.0.0.1:1',
    token: 'secret',
    clock: systemClock,
    interruption,
  });
  await assert.rejects(client.call(stageList, {}), (error: Error) => {
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:1 can't be reached/);
    return !error.message.includes('secret');
  });
  assert.throws(
    () => openHttpClient({ url: 'ftp://x', token: undefined, clock: systemClock, interruption }),
    {
      code: 'invalid-input',
    },
  );
});

test('Ctrl-C ends a call that waits; calls that put things in order still go through', async (context) => {
  const interrupted = new AbortController();
  let asked = () => {};
  const arrived = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const handler: Handler = (request, _body, response) => {
    if (request.url?.endsWith('take')) asked();
    else response.end('{}');
  };
  const client = await connect(context, handler, interrupted.signal);
  const waiting = assert.rejects(client.call(resultsTake, { queue: 'q' }), { name: 'AbortError' });
  await arrived;
  interrupted.abort();
  await waiting;
  await client.call(resultsRelease, { receipts: [] }, { afterInterruption: true });
  await assert.rejects(client.call(resultsConfirm, { receipts: [] }), { name: 'AbortError' });
});
