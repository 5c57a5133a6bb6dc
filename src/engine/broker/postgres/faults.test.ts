import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openPostgresPool } from '../../database/postgres/pool.ts';
import { hasCode } from '../../ground/errors.ts';
import { eventually } from '../../testing/eventually.ts';
import { startPostgres } from '../../testing/servers/postgres.ts';
import { systemClock } from '../../time/clock.ts';
import type { Broker } from '../broker.ts';
import { openPostgresBroker } from '../postgres.ts';
import { bytes } from '../testing/contract/scene.ts';

/** Publishes and consumes without end; counts what must not be lost. */
async function traffic(t: TestContext, url: string) {
  const open = async () => {
    const broker = await openPostgresBroker({ url, clock: systemClock, leaseMs: 3000 });
    t.after(() => broker.close());
    return broker;
  };
  const [publisher, consumer] = [await open(), await open()];
  await publisher.declare('letters');
  const confirmed: string[] = [];
  const came = new Map<string, number>();
  await consumer.consume('letters', { concurrency: 5 }, async (delivery) => {
    came.set(delivery.id, (came.get(delivery.id) ?? 0) + 1);
    void delivery.ack().catch(() => {});
  });
  let going = true;
  let number = 0;
  const publish = async (broker: Broker) => {
    while (going) {
      const id = `m${number++}`;
      try {
        await broker.publish('letters', { id, body: bytes(id) });
        confirmed.push(id);
      } catch (error) {
        // The only answer while there is no server: try again later.
        assert.ok(hasCode(error, 'unavailable'), String(error));
        await eventually('the server is there', () => broker.status('letters').catch(() => undefined));
      }
    }
  };
  const publishing = Promise.all(Array.from({ length: 20 }, () => publish(publisher)));
  t.after(() => {
    going = false;
  });
  const more = async (what: string) => {
    const [sent, received] = [confirmed.length + 500, came.size + 500];
    await eventually(what, () => confirmed.length >= sent && came.size >= received);
  };
  await more('traffic flows');
  return {
    more,
    async finish() {
      going = false;
      await publishing;
      await eventually('the queue is empty', async () => {
        const { ready, inFlight } = await consumer.status('letters');
        return ready.normal + inFlight === 0;
      });
      const lost = confirmed.filter((id) => !came.has(id));
      assert.deepEqual(lost, []);
      const twice = [...came.values()].filter((times) => times > 1).length;
      return `${confirmed.length} confirmed, none lost, ${twice} delivered more than once`;
    },
  };
}

test('when the server crashes and comes back, both sides go on by themselves and nothing confirmed is lost', async (t) => {
  const server = await startPostgres();
  t.after(() => server.close());
  const flow = await traffic(t, server.url);
  await server.primary.kill();
  const killed = performance.now();
  await server.primary.start();
  const started = performance.now();
  await flow.more('traffic flows again');
  t.diagnostic(
    `flowing ${(performance.now() - started).toFixed(0)} ms after the start, ${(performance.now() - killed).toFixed(0)} ms after the kill`,
  );
  t.diagnostic(await flow.finish());
});

test('when the primary is killed and its standby promoted, both sides find it and nothing confirmed is lost', async (t) => {
  const server = await startPostgres({ standby: true });
  t.after(() => server.close());
  const flow = await traffic(t, server.url);
  await server.primary.kill();
  const killed = performance.now();
  await server.standby?.promote();
  const promoted = performance.now();
  await flow.more('traffic flows again');
  t.diagnostic(
    `flowing ${(performance.now() - promoted).toFixed(0)} ms after the promotion, ${(performance.now() - killed).toFixed(0)} ms after the kill`,
  );
  t.diagnostic(await flow.finish());
});

test('with TLS every connection is encrypted, and a wrong password is reported without being shown', async (t) => {
  const server = await startPostgres({ tls: true });
  t.after(() => server.close());
  const broker = await openPostgresBroker({ url: server.url, clock: systemClock });
  t.after(() => broker.close());
  await broker.declare('letters');
  await broker.publish('letters', { id: 'one', body: bytes('one') });
  await broker.consume('letters', { concurrency: 1 }, (delivery) => delivery.ack());
  await eventually('it was acked', async () => (await broker.status('letters')).ready.normal === 0);
  const pool = await openPostgresPool({ url: server.url, max: 1 });
  t.after(() => pool.close());
  const { rows } = await pool.query<{ ssl: boolean }>(
    "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE backend_type = 'client backend'",
  );
  assert.ok(rows.length >= 4 && rows.every(({ ssl }) => ssl), JSON.stringify(rows));
  const wrong = server.url.replace(/:[^:@]*@/, ':not-the-password@');
  await assert.rejects(
    openPostgresBroker({ url: wrong, clock: systemClock }),
    (error) => hasCode(error, 'configuration-invalid') && !error.message.includes('not-the-password'),
  );
});
