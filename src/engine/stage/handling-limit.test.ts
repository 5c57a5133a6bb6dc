import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAlerts } from '../alert/alert.ts';
import { lookOnce } from '../health/checks/check.ts';
import { slowStages } from '../health/checks/slow-stages.ts';
import { settingsSchema } from '../settings/settings.ts';
import { openEmbedded } from '../testing/embedded.ts';
import { handlingLimitMs } from './handling-limit.ts';
import { createStages } from './stages.ts';

test('on RabbitMQ a stage whose timeout reaches the consumer timeout is refused, and the error says what to do', async (t) => {
  const parts = await openEmbedded(t);
  const settings = settingsSchema.parse({ broker: 'amqp://rabbit/' });
  const stages = createStages({
    ...parts,
    takeWorkersOff: async () => {},
    handlingLimitMs: handlingLimitMs(settings),
  });
  const refused = {
    code: 'invalid-input',
    message: /stage ocr may take 1800000 ms.*after 1800000 ms.*consumer_timeout.*rabbitmq\.consumerTimeoutMs/,
  };
  const halfHour = 1_800_000;
  await assert.rejects(
    stages.create({ name: 'ocr', processor: 'nothing', timeoutMs: halfHour }, 'anna'),
    refused,
  );
  await stages.create({ name: 'ocr', processor: 'nothing', timeoutMs: halfHour - 1 }, 'anna');
  await assert.rejects(stages.change('ocr', { timeoutMs: halfHour }, 'anna'), refused);
});

test('other brokers, and RabbitMQ without the limit, allow any timeout', () => {
  const limit = (given: object) => handlingLimitMs(settingsSchema.parse(given));
  assert.equal(limit({}), null);
  assert.equal(limit({ broker: 'postgres://db/pismak', rabbitmq: { consumerTimeoutMs: 60_000 } }), null);
  assert.equal(limit({ broker: 'amqps://rabbit/', rabbitmq: { consumerTimeoutMs: 0 } }), null);
  assert.equal(limit({ broker: 'amqps://rabbit/', rabbitmq: { consumerTimeoutMs: 60_000 } }), 60_000);
});

test('a stage older than the limit raises an alert until it is fixed', async (t) => {
  const parts = await openEmbedded(t);
  await parts.stages.create({ name: 'ocr', processor: 'nothing', timeoutMs: 90_000 }, 'anna');
  const alerts = createAlerts({ ...parts, repeatMs: 1e12, subscribers: [], wakeOutbox() {} });
  const settings = settingsSchema.parse({
    broker: 'amqp://rabbit/',
    rabbitmq: { consumerTimeoutMs: 60_000 },
  });
  const open = async () => {
    await lookOnce([slowStages({ ...parts, settings })], { ...parts, alerts });
    return (await alerts.list()).map(({ kind, entity, details }) => [kind, entity, details]);
  };
  const details = { stage: 'ocr', timeoutMs: 90_000, limitMs: 60_000 };
  assert.deepEqual(await open(), [['stage.too-slow', 'ocr', details]]);
  await parts.stages.change('ocr', { timeoutMs: 30_000 }, 'anna');
  assert.deepEqual(await open(), []);
});
