import { defineSentences, type Sentence } from '../ground/sentence.ts';
import type { Settings } from '../settings/settings.ts';
import type { StageDefinition } from './stage.ts';

/** The maximum time for a handler with these settings; null = no limit. */
export function handlingLimitMs({ broker, rabbitmq }: Pick<Settings, 'broker' | 'rabbitmq'>): number | null {
  const isRabbit = broker.startsWith('amqp:') || broker.startsWith('amqps:');
  return isRabbit && rabbitmq.consumerTimeoutMs > 0 ? rabbitmq.consumerTimeoutMs : null;
}

/** What is wrong with a stage that may exceed the broker's limit: its messages would be redelivered for ever. */
export function overLimit(
  { name, timeoutMs }: Pick<StageDefinition, 'name' | 'timeoutMs'>,
  limitMs: number | null,
): Sentence | undefined {
  if (limitMs === null || timeoutMs < limitMs) return undefined;
  return say('stage.too-slow', { stage: name, timeoutMs, limitMs });
}

const say = defineSentences({
  'stage.too-slow': (it: { stage: string; timeoutMs: number; limitMs: number }) =>
    `stage ${it.stage} may take ${it.timeoutMs} ms, but RabbitMQ takes a message back after ${it.limitMs} ms: give it a shorter ` +
    'timeout, or raise `consumer_timeout` in rabbitmq.conf of all nodes and then `rabbitmq.consumerTimeoutMs` here',
});
