import { PismakError } from '../errors.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';

/** Schemes of URLs that choose an adapter. */
export const brokerSchemes = ['sqlite', 'postgres', 'amqp', 'amqps'] as const;

/** Opens the adapter that the URL asks for; `file` is where an embedded one keeps its queues. */
export async function openBroker(url: string, parts: { file: string; clock: Clock }): Promise<Broker> {
  const [scheme] = url.split(':', 1);
  // Loaded when it is chosen: the embedded tier needs no driver of a server.
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
    `no broker for ${scheme}:; there are ${brokerSchemes.join(', ')}`,
  );
}
