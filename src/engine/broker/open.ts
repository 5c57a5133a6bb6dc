import type { Clock } from '../clock.ts';
import { PismakError } from '../errors.ts';
import type { Broker } from './broker.ts';
import { openSqliteBroker } from './sqlite.ts';

/** Opens the adapter that the URL asks for; `file` is where an embedded one keeps its queues. */
export async function openBroker(url: string, parts: { file: string; clock: Clock }): Promise<Broker> {
  const [scheme] = url.split(':', 1);
  if (scheme === 'sqlite') return openSqliteBroker(parts);
  throw new PismakError('configuration-invalid', `no broker for ${scheme}:; there is sqlite:`);
}
