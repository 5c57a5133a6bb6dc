import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import test from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import { createOutbox, runOutbox } from '../outbox/outbox.ts';
import { type Job, PermanentFailure } from '../processor/processor.ts';
import { decodeRequest } from '../request/request.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { type Clock, ManualClock, systemClock } from '../time/clock.ts';
import type { Resolve } from './address-guard.ts';
import { alertWebhooks } from './alert-webhooks.ts';
import { createSecret } from './secret.ts';
import { verifySignature } from './signature.ts';
import { alertWebhookStage, type WebhookRequest, webhookProcessor } from './webhook.ts';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** A receiver on this machine. */
async function receiver(
  t: test.TestContext,
  answer: RequestListener = (_, response) => response.end('thanks'),
) {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      answer(request, response);
    });
  });
  server.on('connection', (socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook/token`, port, received, sockets };
}

async function sender(
  t: test.TestContext,
  options: { allowPrivate?: boolean; resolve?: Resolve; clock?: Clock } = {},
) {
  const embedded = await openEmbedded(t, { clock: options.clock ?? systemClock });
  const { allowPrivate = true, resolve } = options;
  const registration = webhookProcessor({ ...embedded, allowPrivate, ...(resolve && { resolve }) });
  assert.ok('inline' in registration);
  const process = await registration.inline({
    stage: 'webhook',
    version: 1,
    config: '',
    files: [],
    file: async () => '',
    random: Math.random,
  });
  const lines: string[] = [];
  const firstUuid = 'b7b2e0c4-0000-4000-8000-000000000001';
  const send = (request: WebhookRequest | string, uuid = firstUuid, owner = 'anna') => {
    const content = Buffer.from(typeof request === 'string' ? request : JSON.stringify(request));
    const job: Job = {
      uuid,
      stage: 'webhook',
      owner,
      attempt: 1,
      signal: new AbortController().signal,
      log: (line) => lines.push(line),
      files: {
        names: () => ['webhook.json'],
        size: () => content.length,
        read: async () => content,
        async save() {},
        async write() {},
        async writeFrom() {},
        remove() {},
      },
    };
    return process(job);
  };
  return { ...embedded, send, lines };
}

test('a webhook arrives as JSON, signed, with an id that stays the same at every attempt', async (t) => {
  const { url, received } = await receiver(t);
  const { send, lines, ...parts } = await sender(t);
  const { secret } = await createSecret(parts, 'anna');
  const body = { event: 'alert.raised', text: 'Ľ\u2028' };
  await send({ url, event: 'alert.raised', body });
  await send({ url, event: 'alert.raised', body });
  const [first, second] = received;
  assert.deepEqual(JSON.parse(first?.body ?? ''), body);
  assert.equal(first?.headers['content-type'], 'application/json');
  assert.equal(first?.headers['pismak-event'], 'alert.raised');
  assert.equal(first?.headers['webhook-id'], 'b7b2e0c4-0000-4000-8000-000000000001');
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
  for (const { headers, body } of received) {
    assert.ok(verifySignature({ secret, headers, body, now: Date.now() }));
  }
  assert.ok(
    lines.every((line) => !line.includes('token')),
    'the path of a URL is a secret',
  );
});

test('temporary errors are retried, others fail for good', async (t) => {
  let status = 200;
  const { url } = await receiver(t, (_, response) => response.writeHead(status).end());
  const { send } = await sender(t);
  for (status of [200, 201, 204]) await send({ url, event: 'e', body: {} });
  for (status of [408, 425, 429, 500, 502, 503]) {
    await assert.rejects(
      send({ url, event: 'e', body: {} }),
      (error) => !(error instanceof PermanentFailure),
      `${status}`,
    );
  }
  for (status of [400, 401, 403, 404, 410, 422]) {
    await assert.rejects(send({ url, event: 'e', body: {} }), PermanentFailure, `${status}`);
  }
});

test('redirects are not followed', async (t) => {
  const target = await receiver(t);
  const { url } = await receiver(t, (_, response) => response.writeHead(307, { location: target.url }).end());
  const { send } = await sender(t);
  await assert.rejects(send({ url, event: 'e', body: {} }), /redirects are not followed/);
  assert.deepEqual(target.received, []);
});

test('a receiver that does not answer in time is given up and retried', async (t) => {
  const clock = new ManualClock();
  const { url, received } = await receiver(t, () => {});
  const { send } = await sender(t, { clock });
  const sending = send({ url, event: 'e', body: {} });
  const refused = assert.rejects(sending, (error) => {
    return (
      error instanceof Error &&
      !(error instanceof PermanentFailure) &&
      /no answer within 10000 ms/.test(error.message)
    );
  });
  await eventually('it was received', () => received.length === 1);
  clock.advance(10_000);
  await refused;
});

test('a receiver that can’t be connected to is given up sooner', async (t) => {
  const clock = new ManualClock();
  let resolving = false;
  const { send } = await sender(t, {
    clock,
    resolve: () => {
      resolving = true;
      return new Promise(() => {});
    },
  });
  const refused = assert.rejects(
    send({ url: 'http://slow.example.org/', event: 'e', body: {} }),
    /no connection within 5000 ms/,
  );
  await eventually('it is looked up', () => resolving);
  clock.advance(5000);
  await refused;
});

test('a receiver that stays silent three times is left alone for a while, for this owner only', async (t) => {
  const clock = new ManualClock();
  let answers = false;
  const { url, received } = await receiver(t, (_, response) => answers && response.end('thanks'));
  const { send } = await sender(t, { clock });
  for (let times = 1; times <= 3; times++) {
    const refused = assert.rejects(send({ url, event: 'e', body: {} }), /no answer within/);
    await eventually('it was received', () => received.length === times);
    clock.advance(10_000);
    await refused;
  }
  await assert.rejects(
    send({ url, event: 'e', body: {} }),
    (error) =>
      error instanceof Error && !(error instanceof PermanentFailure) && /not sent now/.test(error.message),
  );
  assert.equal(received.length, 3);
  answers = true;
  await send({ url, event: 'e', body: {} }, undefined, 'neighbour');
  clock.advance(10_000);
  await send({ url, event: 'e', body: {} });
  await send({ url, event: 'e', body: {} });
  assert.equal(received.length, 6);
});

test('an endless answer is cut off', async (t) => {
  const { url, sockets } = await receiver(t, (_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
    };
    response.on('drain', more);
    more();
  });
  const { send } = await sender(t);
  await send({ url, event: 'e', body: {} });
  assert.equal(sockets.size, 1);
  const [socket] = sockets;
  await eventually('the connection is closed', () => socket?.destroyed);
  // What the kernel holds for a connection, and no more.
  assert.ok(Number(socket?.bytesWritten) < 50_000_000, `${socket?.bytesWritten} bytes were sent`);
});

test('private addresses are refused for good without connecting, by number or by name', async (t) => {
  const { port, sockets } = await receiver(t);
  let resolved = 0;
  const resolve: Resolve = async () => {
    resolved++;
    return [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
  };
  const { send } = await sender(t, { allowPrivate: false, resolve });
  for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'rebinding.example.org', 'localhost']) {
    await assert.rejects(
      send({ url: `http://${host}:${port}/`, event: 'e', body: {} }),
      PermanentFailure,
      host,
    );
  }
  assert.equal(resolved, 2);
  assert.equal(sockets.size, 0);
});

test('a name is resolved once per attempt, and the connection goes to the checked address', async (t) => {
  const { port, received } = await receiver(t);
  const asked: string[] = [];
  const resolve: Resolve = async (hostname) => {
    asked.push(hostname);
    return [{ address: '127.0.0.1', family: 4 }];
  };
  const { send } = await sender(t, { resolve });
  await send({ url: `http://hooks.example.org:${port}/`, event: 'e', body: {} });
  assert.deepEqual(asked, ['hooks.example.org']);
  assert.equal(received[0]?.headers.host, `hooks.example.org:${port}`);
});

test('a name that cannot be resolved now, or a closed port, is retried', async (t) => {
  const { send } = await sender(t, {
    resolve: async (hostname) => {
      if (hostname === 'closed.example.org') return [{ address: '127.0.0.1', family: 4 }];
      throw new Error('SERVFAIL');
    },
  });
  for (const url of ['http://nowhere.example.org/', 'http://closed.example.org:1/']) {
    await assert.rejects(
      send({ url, event: 'e', body: {} }),
      (error) => !(error instanceof PermanentFailure),
    );
  }
});

test('an invalid request fails for good', async (t) => {
  const { send } = await sender(t);
  for (const broken of ['', '{}', '[]', '{"url":1}', '{"url":"http://x/","event":"a\\r\\nb","body":{}}']) {
    await assert.rejects(send(broken), PermanentFailure, broken);
  }
});

test('an alert reaches the webhook queue of every URL, when it is raised and when it is cleared', async (t) => {
  const embedded = await openEmbedded(t);
  embedded.processors.register(webhookProcessor({ ...embedded, allowPrivate: true }));
  await embedded.stages.create(alertWebhookStage, 'test');
  const outbox = createOutbox(embedded);
  const urls = ['https://a.example.org/', 'https://b.example.org/'];
  const subscribers = [alertWebhooks({ ...embedded, outbox, urls })];
  const alerts = createAlerts({ ...embedded, repeatMs: 1e9, subscribers, wakeOutbox: outbox.wake });
  const service = runOutbox({ ...embedded, outbox, alerts });
  t.after(() => service.close());
  await alerts.raise('disk.low', 'here', 'no space', { free: 1 });
  await alerts.clear('disk.low', 'here');
  const messages = await eventually('four messages', async () => {
    const all = await embedded.broker.peek('alert-webhook');
    return all.length === 4 ? all : undefined;
  });
  const sent = messages.map((message) => {
    const request = decodeRequest(message.body);
    return JSON.parse(Buffer.from(request.results[0]?.content ?? []).toString());
  });
  assert.deepEqual(
    sent.map(({ url, event, body }) => [url, event, body.event, body.alert.kind, body.alert.details]),
    ['alert.raised', 'alert.cleared'].flatMap((event) =>
      urls.map((url) => [url, event, event, 'disk.low', { free: 1 }]),
    ),
  );
});
