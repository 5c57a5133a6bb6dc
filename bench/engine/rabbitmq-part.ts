import { readAddress } from '../../src/engine/broker/rabbitmq/address.ts';
import { openRabbitBroker } from '../../src/engine/broker/rabbitmq.ts';
import { startRabbitCluster } from '../../src/engine/testing/servers/rabbitmq.ts';
import { systemClock } from '../../src/engine/time/clock.ts';
import { contest } from './contest.ts';
import { runPismak } from './pismak.ts';
import { RawRabbit } from './raw-rabbitmq.ts';
import { atLeast, type PartRun } from './report.ts';
import { type Contender, concurrencies, phases } from './work.ts';

/** Maximum number of unconfirmed messages, and the prefetch: the same for both. */
const window = 1000;
const prefetch = 200;

/** The broker on a RabbitMQ cluster of three beside the client that it is built on. */
export async function rabbitmqPart({ rounds, alone, targets, comparable }: PartRun) {
  console.log('\nRabbitMQ: three nodes, quorum queues of three; starting them takes half a minute');
  const cluster = await startRabbitCluster();
  try {
    const { url } = await cluster.createHost();
    const address = await readAddress(url);
    // All connect to one node: the location of a queue's leader must not matter.
    const [first = ''] = address.hosts ?? [];
    const oneUrl = url.replace(/@[^/]+\//, `@${first}/`);
    const broker = await openRabbitBroker({ url: oneUrl, clock: systemClock });
    await broker.declare('jobs');
    const raw = await RawRabbit.open(await readAddress(oneUrl), 'raw');
    const terms = `${window} confirms outstanding, prefetch ${prefetch}, quorum x3, mandatory`;
    const ours: Contender = {
      name: 'Pismak on RabbitMQ',
      terms: `${terms}; two lanes, attempts counted, acks confirmed`,
      run: (concurrency) => runPismak(broker, 'jobs', { concurrency, window, prefetch }),
    };
    const peer: Contender = {
      name: 'rabbitmq-client',
      terms: `${terms}; one lane, acks not confirmed`,
      run: () => raw.run(window, prefetch),
    };
    const figures = await contest(alone ? [ours] : [ours, peer], rounds);
    figures.print(`RabbitMQ, median of ${rounds} rounds`);
    if (alone) comparable.push(...figures.comparable());
    for (const concurrency of alone ? [] : concurrencies) {
      for (const phase of phases) {
        const ratio =
          figures.rate(ours.name, concurrency, phase) / figures.rate(peer.name, concurrency, phase);
        const name = `RabbitMQ against the raw client, ${phase}, concurrency ${concurrency}`;
        targets.push(atLeast(name, ratio, 0.9));
      }
    }
    await raw.close();
    await broker.close();
    return figures.all;
  } finally {
    await cluster.close();
  }
}
