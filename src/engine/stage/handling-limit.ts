import type { Settings } from '../settings/settings.ts';
import type { StageDefinition } from './stage.ts';

/** How long a handler may take on the broker of these settings; null = as long as it likes. */
export function handlingLimitMs({ broker, rabbitmq }: Pick<Settings, 'broker' | 'rabbitmq'>): number | null {
  const isRabbit = broker.startsWith('amqp:') || broker.startsWith('amqps:');
  return isRabbit && rabbitmq.consumerTimeoutMs > 0 ? rabbitmq.consumerTimeoutMs : null;
}

/** What is wrong with a stage that may take longer than the broker waits: its messages would come again and again. */
export function overLimit(
  { name, timeoutMs }: Pick<StageDefinition, 'name' | 'timeoutMs'>,
  limitMs: number | null,
): string | undefined {
  if (limitMs === null || timeoutMs < limitMs) return undefined;
  return (
    `stage ${name} may take ${timeoutMs} ms, but RabbitMQ takes a message back after ${limitMs} ms: give it a shorter ` +
    'timeout, or raise `consumer_timeout` in rabbitmq.conf of all nodes and then `rabbitmq.consumerTimeoutMs` here'
  );
}
