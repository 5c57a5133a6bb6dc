import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { newRequest, toMessage } from '../../engine/request/request.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { alertWebhooks } from '../../engine/webhook/alert-webhooks.ts';
import { verifySignature } from '../../engine/webhook/signature.ts';
import { webhookFile } from '../../engine/webhook/webhook.ts';
import { type RunningServer, runServer } from '../testing/running-server.ts';

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

async function receiver(t: TestContext) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    received.push({ headers: request.headers, body });
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const next = () => eventually('a webhook arrives', () => received.shift());
  return { url: `http://127.0.0.1:${port}/`, next };
}

async function runWithWorker(t: TestContext) {
  const server = await runServer(t, { settings: { webhook: { allowPrivate: true } } });
  await server.engine.workers.start();
  return server;
}

/** As a house sends it for one of its users. */
async function sendWebhook({ engine }: RunningServer, owner: string, url: string, event = 'test') {
  const content = Buffer.from(JSON.stringify({ url, event, body: { event } }));
  const files = [{ name: webhookFile, content }];
  const request = newRequest({ uuid: crypto.randomUUID(), stages: ['webhook'], files, startedAt: 0, owner });
  await engine.broker.publish('webhook', toMessage(request));
}

const accepted = (secret: string, { headers, body }: Received) =>
  verifySignature({ secret, headers, body, now: Date.now() });

test('a webhook is signed with the secret of its owner, through a rotation, and with no other’s', async (t) => {
  const server = await runWithWorker(t);
  const { url, next } = await receiver(t);
  const [anna, bert] = [await server.signUp('anna', 'user'), await server.signUp('bert', 'user')];
  await sendWebhook(server, 'anna', url);
  assert.equal((await next()).headers['webhook-signature'], undefined, 'without a secret it is unsigned');

  const first: string = (await server.call('secret.create', {}, anna)).body.secret;
  const berts: string = (await server.call('secret.create', {}, bert)).body.secret;
  await sendWebhook(server, 'anna', url);
  const one = await next();
  assert.deepEqual([accepted(first, one), accepted(berts, one)], [true, false]);

  const second: string = (await server.call('secret.rotate', { overlapMs: 60_000 }, anna)).body.secret;
  await sendWebhook(server, 'anna', url);
  const both = await next();
  assert.deepEqual([accepted(first, both), accepted(second, both)], [true, true]);

  const third: string = (await server.call('secret.rotate', { overlapMs: 0 }, anna)).body.secret;
  await sendWebhook(server, 'anna', url);
  const last = await next();
  assert.deepEqual(
    [first, second, third].map((secret) => accepted(secret, last)),
    [false, false, true],
  );
});

test('a user cannot forge an alert: alerts are signed with the secret of the installation', async (t) => {
  const server = await runWithWorker(t);
  const { url, next } = await receiver(t);
  const anna = await server.signUp('anna', 'user');
  const root = await server.signUp('root', 'admin');
  assert.equal((await server.call('secret.create', { owner: 'local' }, anna)).status, 404);
  const secret: string = (await server.call('secret.create', { owner: 'local' }, root)).body.secret;
  await sendWebhook(server, 'anna', url, 'alert.raised');
  assert.equal(accepted(secret, await next()), false);

  const { database, broker, outbox, clock } = server.engine;
  const alert = { id: '1', kind: 'disk.low', entity: 'here', reason: 'little is left', details: {} };
  const times = { raisedAt: 1, lastSeenAt: 1, clearedAt: null, seen: 1 };
  const looked = { acknowledgedBy: null, acknowledgedAt: null, mutedUntil: null, mutedBy: null };
  const untouched = { sentence: null, note: null, ...looked };
  await database.transaction((transaction) =>
    alertWebhooks({ outbox, clock, urls: [url] })(transaction, {
      event: 'alert.raised',
      at: 1,
      alert: { ...alert, ...times, ...untouched },
    }),
  );
  const [row] = await database.query.selectFrom('outbox').selectAll().execute();
  await broker.publish('alert-webhook', { id: row?.messageId ?? '', body: row?.body ?? new Uint8Array() });
  assert.equal(accepted(secret, await next()), true);
});

test('a secret is shown once: no operation, audit record or second call tells it', async (t) => {
  const server = await runServer(t);
  const [anna, root] = [await server.signUp('anna', 'user'), await server.signUp('root', 'admin')];
  const { secret } = (await server.call('secret.create', {}, anna)).body;
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const again = await server.call('secret.create', {}, anna);
  assert.deepEqual([again.status, again.body.error.code], [409, 'already-exists']);
  assert.match(again.body.error.message, /webhook secret rotate/);
  for (const read of ['secret.ls', 'audit.ls', 'event.ls', 'coordination.ls']) {
    const { status, text } = await server.call(read, read === 'coordination.ls' ? { path: '/' } : {}, root);
    assert.equal(status, 200, text);
    assert.ok(!text.includes(secret), read);
  }
  assert.equal((await server.call('secret.ls', {}, anna)).body.secrets.length, 1);
  const unknown = await server.call('secret.create', { owner: 'nobody-here' }, root);
  assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'not-found']);
});
