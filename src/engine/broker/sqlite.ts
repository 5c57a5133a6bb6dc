import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createPrivateFile } from '../files/private-file.ts';
import type { Clock } from '../time/clock.ts';
import type { Broker } from './broker.ts';
import { usualMaxBytes } from './checks.ts';
import { SqliteBroker } from './sqlite/broker.ts';
import { startBrokerThread } from './sqlite/broker-thread.ts';

export interface SqliteBrokerOptions {
  /** Created if missing. It belongs to one process: a second one fails with `data-directory-in-use`. */
  file: string;
  clock: Clock;
  /** Limit on the body. Default: 16 MiB. Larger content belongs in blobs. */
  maxMessageBytes?: number;
}

/**
 * The embedded broker: queues in one SQLite file that belongs to one thread of one process.
 *
 *     const broker = await openSqliteBroker({ file: '.pismak/queues.db', clock: systemClock });
 */
export async function openSqliteBroker(options: SqliteBrokerOptions): Promise<Broker> {
  await mkdir(dirname(options.file), { recursive: true });
  await createPrivateFile(options.file);
  const { thread, state } = await startBrokerThread(options.file);
  return new SqliteBroker(thread, state, options.clock, options.maxMessageBytes ?? usualMaxBytes);
}
