import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Change } from '../../engine/event/change-log.ts';
import { eventually } from '../../engine/testing/eventually.ts';
import { createSecret } from '../../engine/webhook/secret.ts';
import { verifySignature } from '../../engine/webhook/signature.ts';
import { collectQueue } from '../documents/document.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';

test('a result delivered twice changes nothing', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  // Everything reaches the collector twice.
  const { publish } = engine.broker;
  engine.broker.publish = async (queue, message) => {
    await publish.call(engine.broker, queue, message);
    if (queue === collectQueue) await publish.call(engine.broker, queue, message);
  };
  const document = await submit({ one: 'first\fsecond', two: 'unreadable' });
  await reaches(document, 'partly');
  await eventually('everything is collected', async () => {
    const { ready, inFlight, delayed } = await engine.broker.status(collectQueue);
    return ready.normal + inFlight + delayed === 0;
  });
  const { pages } = await call('document.show', { document });
  assert.deepEqual([pages.total, pages.done, pages.failed], [3, 2, 1]);
  const finished = engine.events.recent({ kind: 'document.finished' });
  assert.equal(finished.length, 1);
  const { usage } = await call('usage.ls');
  assert.equal(usage[0].pages, 3, 'counted once');
});

test('a signed webhook reports a finished document', async (t) => {
  const { engine, submit } = await runHouse(t, { settings: { webhook: { allowPrivate: true } } });
  const received: { body: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ body: await text(request), headers: request.headers });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const webhook = `http://127.0.0.1:${port}/finished`;
  const { secret } = await createSecret(engine, anna.name);
  const document = await submit({ one: 'one', two: 'unreadable' }, { name: 'Kronika', webhook });
  const { body, headers } = await eventually('the webhook arrived', () => received[0]);
  assert.equal(headers['pismak-event'], 'document.finished');
  assert.ok(verifySignature({ secret, headers, body, now: engine.clock.now() }));
  const said = JSON.parse(body).document;
  assert.deepEqual([said.id, said.name, said.state], [document, 'Kronika', 'partly']);
});

test('one key with many pages does not starve another with a few', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  // Nothing is read until the pages of both keys wait.
  await engine.broker.pause('read');
  const many = Array.from({ length: 300 }, (_, index) => `page ${index}`).join('\f');
  const big = await submit({ many }, {}, anna);
  const small = await submit({ few: 'one\ftwo\fthree' }, {}, bert);
  for (const [document, total] of [[big, 300] as const, [small, 3] as const]) {
    await eventually(
      'all its pages wait',
      async () => (await call('document.show', { document }, admin)).pages.total === total,
    );
  }
  await engine.broker.resume('read');
  await reaches(small, 'done');
  const { pages } = await call('document.show', { document: big });
  assert.ok(pages.done < 150, `${pages.done} of the many were done before the few`);
  await call('document.cancel', { document: big });
});

test('only the owner of a document receives its progress', async (t) => {
  const { engine, submit, reaches } = await runHouse(t);
  const told: Change[] = [];
  engine.changes.subscribe((change) => {
    if (change.kind === 'document') told.push(change);
  });
  const document = await submit({ one: 'one' });
  await reaches(document, 'done');
  await eventually('the end was reported', () => told.at(-1)?.data?.state === 'done');
  for (const { entity, owner } of told) assert.deepEqual([entity, owner], [document, 'anna']);
});
