import { PismakError } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';

/** The URL schemes that select an adapter. */
export const brokerSchemes = ['sqlite', 'postgres', 'amqp', 'amqps'] as const;

/** Opens the adapter that the URL selects. An embedded one keeps its queues in `file`. */
export async function openBroker(url: string, parts: { file: string; clock: Clock }): Promise<Broker> {
  const [scheme] = url.split(':', 1);
  // Load only the selected adapter: the embedded tier needs no server drivers.
  switch (scheme) {
    case 'sqlite':
      return (await import('./sqlite.ts')).openSqliteBroker(parts);
    case 'postgres':
      return (await import('./postgres.ts')).openPostgresBroker({ url, clock: parts.clock });
    case 'amqp':
    case 'amqps':
      return (await import('./rabbitmq.ts')).openRabbitBroker({ url, clock: parts.clock });
  }
  throw new PismakError(
    'configuration-invalid',
    `Unknown broker scheme "${scheme}". Use one of ${brokerSchemes.join(', ')}.`,
  );
}
