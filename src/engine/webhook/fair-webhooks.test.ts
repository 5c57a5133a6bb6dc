import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import { runBacklog } from '../backlog/backlog-release.ts';
import { newId } from '../ground/identity.ts';
import { createOutbox, runOutbox } from '../outbox/outbox.ts';
import { newRequest } from '../request/request.ts';
import { requestItem } from '../request/request-item.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { startWorker } from '../testing/start-worker.ts';
import { servingSlots } from '../worker/serving-slots.ts';
import { alertWebhooks } from './alert-webhooks.ts';
import { alertWebhookStage, webhookFile, webhookProcessor, webhookStage } from './webhook.ts';

/** A receiver that answers only paths that don't begin with /pit, and all that can deliver webhooks to it. */
async function installation(t: test.TestContext) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    received.push(path);
    if (!path.startsWith('/pit')) response.end('thanks');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const it = await openEmbedded(t);
  it.processors.register(webhookProcessor({ ...it, allowPrivate: true }));
  for (const stage of [webhookStage, alertWebhookStage]) await it.stages.create(stage, 'test');
  const outbox = createOutbox(it);
  const subscribers = [alertWebhooks({ ...it, outbox, urls: [`${base}/alert`] })];
  const alerts = createAlerts({ ...it, repeatMs: 1e9, subscribers, wakeOutbox: outbox.wake });
  const services = [
    runOutbox({ ...it, outbox, alerts }),
    runBacklog({ ...it, alerts, slots: servingSlots(it) }),
  ];
  t.after(async () => {
    await Promise.all(services.map((service) => service.close()));
  });
  await startWorker(t, it);

  const send = async (owner: string, path: string, count = 1) => {
    const items = Array.from({ length: count }, () => {
      const content = Buffer.from(JSON.stringify({ url: `${base}${path}`, event: 'e', body: {} }));
      const files = [{ name: webhookFile, content }];
      const about = { uuid: newId(it.clock), stages: [webhookStage.name], startedAt: 0, owner };
      return requestItem(newRequest({ ...about, files }), { batch: owner });
    });
    await it.database.transaction((transaction) => it.backlog.add(transaction, items));
    it.backlog.wake();
  };
  const came = (path: string) => received.filter((each) => each === path).length;
  return { send, came, alerts, received };
}

test("40 deliveries to a tar pit don't delay a neighbour's webhook, nor an alert", async (t) => {
  const { send, came, alerts } = await installation(t);
  await send('hog', '/pit', 40);
  await eventually('the tar pit holds all slots', () => came('/pit') === 8);
  await send('neighbour', '/neighbour', 3);
  await alerts.raise('disk.low', 'here', 'no space');
  await eventually('both are delivered', () => came('/neighbour') === 3 && came('/alert') === 1);
  assert.equal(came('/pit'), 8, 'no slot of the tar pit was given up meanwhile');
});

test('an alert overtakes a thousand webhooks, and so does the first webhook of another owner', async (t) => {
  const { send, alerts, received } = await installation(t);
  await send('big', '/big', 1000);
  await eventually('the first are delivered', () => received.length > 0);
  await send('small', '/small');
  await alerts.raise('disk.low', 'here', 'no space');
  const last = await eventually('both are delivered', () => {
    const places = ['/small', '/alert'].map((path) => received.indexOf(path));
    return places.every((place) => place >= 0) ? Math.max(...places) : undefined;
  });
  assert.ok(last < 900, `they came as number ${last} of 1002`);
});
