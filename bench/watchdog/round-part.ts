import { setTimeout as wait } from 'node:timers/promises';
import { openEngine } from '../../src/engine/open-engine.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { startZookeeper } from '../../src/engine/testing/servers/zookeeper.ts';
import { writePresence, writeWorker } from '../../src/engine/testing/worker-nodes.ts';
import { watchdogStatus } from '../../src/engine/watchdog/status.ts';
import { runWatchdog } from '../../src/engine/watchdog/watchdog.ts';
import { listWorkers } from '../../src/engine/worker/worker-record.ts';
import { type Comparable, less } from '../comparable.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { printMarkdown, type Target } from '../transcription/report.ts';

const workers = 200;
const stages = 20;
const rounds = 10;

/**
 * The real watchdog on three ZooKeeper servers with 200 workers that only say that they live and work. The first round
 * moves all of them; later ones read all that they report anew.
 */
export async function roundPart(targets: Target[], comparable: Comparable[]): Promise<object> {
  const zookeeper = await startZookeeper();
  try {
    const tookMs = await planRounds(zookeeper.url.replace('://', '://pismak:secret@'));
    const [first = Number.NaN, ...later] = tookMs;
    const slowest = Math.max(...tookMs);
    console.log(`\nOne round of the watchdog, ${workers} workers and ${stages} stages on ZooKeeper\n`);
    printMarkdown([
      ['round', 'took'],
      ['the first, which moves all', `${first} ms`],
      [`the slowest of ${later.length} later ones`, `${Math.max(...later)} ms`],
    ]);
    comparable.push(less(`the slowest round with ${workers} workers, ms`, slowest));
    targets.push({
      name: `a round of the watchdog with ${workers} workers`,
      wanted: 'under 2 s',
      measured: `${(slowest / 1000).toFixed(2)} s`,
      reached: slowest < 2000,
    });
    return { workers, stages, tookMs };
  } finally {
    await zookeeper.close();
  }
}

async function planRounds(coordination: string): Promise<number[]> {
  const settings = settingsSchema.parse({
    data: scratchDirectory(),
    coordination,
    log: { level: 'error' },
    watchdog: { policy: 'flow' },
  });
  const engine = await openEngine(settings, { purpose: 'bench', console: console.error });
  const tree = engine.coordination;
  try {
    const names = Array.from({ length: stages }, (_, index) => `bench${index}`);
    for (const name of names) {
      await engine.stages.create({ name, processor: 'dummy' }, 'bench');
      for (let number = 0; number < 50; number++)
        await engine.broker.publish(name, { id: `${name}/${number}`, body: Buffer.from('') });
    }
    const ids = Array.from({ length: workers }, (_, index) => `worker${index}`);
    await Promise.all(ids.map((id) => writeWorker(tree, id)));

    const watchdog = runWatchdog(engine);
    const tookMs: number[] = [];
    for (let last = 0, count = 1; tookMs.length < rounds; ) {
      await wait(20);
      const status = await watchdogStatus(tree);
      if (!status || status.lastPlanAt === last || status.lastPlanAt === 0) continue;
      last = status.lastPlanAt;
      tookMs.push(status.tookMs);
      // Every worker reports one more message done at its assigned stage.
      count++;
      const now = await listWorkers(tree);
      await Promise.all(
        now.map(({ record }) => {
          const stage = record.stage ?? names[0] ?? '';
          const timings = { [stage]: { count, meanMs: 1000 } };
          const busy = { state: 'PROCESSING' as const, inFlight: 1, inFlightOfStage: 1 };
          return writePresence(tree, record.id, { stage, timings, ...busy });
        }),
      );
    }
    await watchdog.close();
    return tookMs;
  } finally {
    await engine.close();
  }
}
