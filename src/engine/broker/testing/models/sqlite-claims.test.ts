import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../../testing/eventually.ts';
import { temporaryDirectory } from '../../../testing/temporary-directory.ts';
import { ManualClock } from '../../../time/clock.ts';
import type { Broker } from '../../broker.ts';
import { openSqliteBroker } from '../../sqlite.ts';
import { compareWithModel } from './lease-commands.ts';
import { queue, type RealLeases } from './real-leases.ts';

test('claims in SQLite match the model, however often the process is killed', {
  timeout: 300_000,
}, async (t) => {
  const directory = await temporaryDirectory(t);
  let files = 0;
  const newFile = () => join(directory, `queues-${files++}.db`);
  const open = async (): Promise<RealLeases> => {
    const clock = new ManualClock();
    let broker = await openSqliteBroker({ file: newFile(), clock });
    const all: Broker[] = [broker];
    await broker.declare(queue);
    return {
      broker: () => broker,
      // Commands run in the order they were sent.
      chargesWritten: () => broker.declare(queue),
      // Another process would find the file as it is now.
      async kill() {
        const copy = newFile();
        await broker.snapshot?.(copy);
        broker = await openSqliteBroker({ file: copy, clock });
        all.push(broker);
      },
      async upkeep() {},
      async makeDue() {
        clock.advance(4_000_000);
        await eventually('due messages are ready', async () => (await broker.status(queue)).delayed === 0);
      },
      async close() {
        await Promise.all(all.map((one) => one.close()));
      },
    };
  };
  await compareWithModel({ open, consumers: 1, mayLapse: false, numRuns: 15 });
});
