import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Connection } from 'rabbitmq-client';
import { readAddress } from '../../src/engine/broker/rabbitmq/address.ts';
import { loadHouses } from '../../src/engine/house.ts';
import { submitRequest } from '../../src/engine/request/submit.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import { sharedPostgres, sharedRabbit } from '../../src/engine/testing/servers/shared.ts';
import { temporaryDirectory } from '../../src/engine/testing/temporary-directory.ts';
import { houses } from '../../src/houses.ts';
import { startSystem } from '../../src/server/system.ts';

let rabbit: Awaited<ReturnType<typeof sharedRabbit>>;
let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
before(async () => {
  [rabbit, postgres] = await Promise.all([sharedRabbit(), sharedPostgres()]);
});
after(() => Promise.all([rabbit.close(), postgres.close()]));

const files = [{ name: 'page', content: Buffer.from('x') }];
const asAdmin = { owner: 'local', role: 'admin' } as const;

/** An installation on servers, and another program on the same RabbitMQ, which makes classic queues. */
async function installation(t: TestContext) {
  const [{ url, name }, database] = await Promise.all([rabbit.createHost(), postgres.createDatabase()]);
  const directory = await temporaryDirectory(t);
  const connection = new Connection(await readAddress(url));
  const foreign = await connection.acquire();
  let running: Awaited<ReturnType<typeof startSystem>> | undefined;
  const stop = async () => {
    await running?.close();
    running = undefined;
  };
  t.after(async () => {
    await stop();
    await foreign.close();
    await connection.close();
  });
  return {
    foreign,
    stop,
    async up(options: { workers?: number } = {}) {
      const settings = settingsSchema.loose().parse({
        broker: url,
        database,
        blobs: database,
        coordination: database,
        data: join(directory, 'data'),
        http: { port: 0 },
        worker: { count: options.workers ?? 0 },
        watchdog: { periodMs: 200, reconfigurationMs: 200 },
        log: { level: 'error' },
      });
      running = await startSystem(settings, { purpose: 'test', houses: await loadHouses(houses) });
      return running.engine;
    },
    async queues() {
      const all = (await rabbit.manage('GET', `/queues/${name}`)) as { name: string }[];
      return all.map((queue) => queue.name);
    },
  };
}

test('a stage whose queue is refused is not stored, and nothing of it stays in RabbitMQ', async (t) => {
  const { foreign, up, queues } = await installation(t);
  const engine = await up();
  await foreign.queueDeclare({ queue: 'ocr', durable: true });
  await assert.rejects(engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test'), {
    code: 'conflict',
    message: /RabbitMQ refuses the queue ocr: .*delete that queue in RabbitMQ, or choose another name/,
  });
  await assert.rejects(engine.stages.get('ocr'), { code: 'stage-unknown' });
  assert.deepEqual(
    (await queues()).filter((queue) => queue.startsWith('ocr')),
    ['ocr'],
  );
  await foreign.queueDelete('ocr');
  await engine.stages.create({ name: 'ocr', processor: 'dummy' }, 'test');
});

test('up starts with stages whose queues are refused; they are broken, the rest works, and they heal', async (t) => {
  const { foreign, up, stop } = await installation(t);
  let engine = await up();
  for (const name of ['ocr', 'fine']) {
    const stage = { name, processor: 'dummy', config: 'TIME_SCALE = 0', mode: 'shared' as const };
    await engine.stages.create(stage, 'test');
  }
  await stop();
  for (const queue of ['ocr', 'demo.read', 'webhook']) {
    await foreign.queueDelete(queue);
    await foreign.queueDeclare({ queue, durable: true });
  }

  engine = await up({ workers: 1 });
  const refused = () => [...(engine.broker.refused?.().keys() ?? [])].sort();
  assert.deepEqual(refused(), ['demo.read', 'ocr', 'webhook']);
  const submission = { ...asAdmin, files };
  await assert.rejects(submitRequest(engine, { ...submission, stages: ['ocr', 'out'] }), {
    code: 'queue-broken',
    message: /delete that queue in RabbitMQ/,
  });
  await submitRequest(engine, { ...submission, stages: ['fine', 'out'] });
  await eventually('the other stage works', async () => (await engine.broker.peek('out')).length === 1);
  const alerts = await eventually('there is an alert', async () => {
    const open = (await engine.alerts.list()).filter(({ kind }) => kind === 'queue.broken');
    return open.length === 3 && open;
  });
  assert.match(alerts.find(({ entity }) => entity === 'ocr')?.reason ?? '', /stage ocr can't work: RabbitMQ/);

  await foreign.queueDelete('ocr');
  await eventually('it heals by itself', () => !refused().includes('ocr'));
  await submitRequest(engine, { ...submission, stages: ['ocr', 'out'] });
  await eventually('it works', async () => (await engine.broker.peek('out')).length === 2);
  await eventually('the alert is over', async () =>
    (await engine.alerts.list()).every(({ kind, entity }) => kind !== 'queue.broken' || entity !== 'ocr'),
  );

  await engine.stages.delete('demo.read');
  await assert.rejects(engine.stages.get('demo.read'), { code: 'stage-unknown' });
  assert.deepEqual(refused(), ['webhook']);
});

test('a first start finds other queues in place of its stages, outputs and claimed queues, and still starts', async (t) => {
  const { foreign, up } = await installation(t);
  for (const queue of ['transcription.collect', 'demo.check', 'demo.out', 'webhook.dead'])
    await foreign.queueDeclare({ queue, durable: true });
  const engine = await up();
  assert.deepEqual([...(engine.broker.refused?.().keys() ?? [])].sort(), [
    'demo.check',
    'transcription.collect',
    'webhook',
  ]);
  for (const queue of ['transcription.collect', 'demo.check', 'webhook.dead'])
    await foreign.queueDelete(queue);
  await eventually('all heal', () => engine.broker.refused?.().size === 0);
});
