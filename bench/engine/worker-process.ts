/** One worker process of the benchmark: consumes a queue from `go` until `stop`, and reports how many messages it has acked. */
import { setTimeout as wait } from 'node:timers/promises';
import { openBroker } from '../../src/engine/broker/open.ts';
import { systemClock } from '../../src/engine/time/clock.ts';

const [url = '', queue = '', concurrency = '1', waitMs = '0'] = process.argv.slice(2);
const broker = await openBroker(url, { file: '', clock: systemClock });
let acked = 0;
let told = 0;
let cpu = process.cpuUsage();
const tell = setInterval(() => {
  if (acked === told) return;
  const used = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  process.send?.({ acked: acked - told, cpuMs: (used.user + used.system) / 1000 });
  told = acked;
}, 20);

process.on('message', async (order) => {
  if (order === 'go') {
    cpu = process.cpuUsage();
    await broker.consume(queue, { concurrency: Number(concurrency) }, async (delivery) => {
      if (Number(waitMs) > 0) await wait(Number(waitMs));
      delivery.ack().then(
        () => acked++,
        () => {},
      );
    });
    return;
  }
  clearInterval(tell);
  await broker.close();
  process.disconnect();
});
// When the benchmark is interrupted, its workers end with it.
process.on('disconnect', () => process.exit());
process.send?.('ready');
