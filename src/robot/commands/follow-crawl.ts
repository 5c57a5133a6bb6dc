import { sleep } from '../../engine/time/clock.ts';
import type { Client } from '../../terminal/client/client.ts';
import { formatCount } from '../../terminal/output/format.ts';
import { LiveLines } from '../../terminal/output/live-lines.ts';
import type { Session } from '../../terminal/session.ts';
import { robotPause, robotStatus } from '../operations/crawls.ts';
import { robotHarvesters, robotSetHarvesters } from '../operations/harvesters.ts';
import { CrawlExport } from './crawl-export.ts';
import { harvestersAfter, watchHarvesterKeys } from './harvester-keys.ts';
import { liveLines } from './show-crawl.ts';

const lookMs = 500;
const tellMs = 10_000;

/** Shows a crawl and writes what it stores into the directory, until it ends or the user stops it. */
export async function followCrawl(
  session: Session,
  client: Client,
  { crawl, directory }: { crawl: string; directory: string },
) {
  const { clock, signal, stderr } = session;
  const output = await CrawlExport.open(client, { crawl, directory });
  const live = stderr.isTTY ? new LiveLines(process.stderr) : undefined;
  const keys = live && process.stdin.isTTY ? watchKeys(client) : undefined;
  try {
    let before = await client.call(robotStatus, { crawl });
    let told = clock.now();
    for (;;) {
      const now = await client.call(robotStatus, { crawl }, { afterInterruption: true });
      const hint = keys ? [await harvestersLine(client)] : [];
      if (live) live.draw([...liveLines(now, before), ...hint]);
      else if (clock.now() - told >= tellMs) {
        stderr.write(`${liveLines(now, before).join('; ')}\n`);
        told = clock.now();
      }
      if (now.statistics.at > before.statistics.at + 2_000 || now.statistics.at < before.statistics.at)
        before = now;
      if (signal.aborted) {
        await client.call(robotPause, { crawl }, { afterInterruption: true }).catch(() => {});
        await output.finish({ hasEnded: false });
        return { crawl: now, output, stopped: true };
      }
      // The text of scans arrives later than the pages.
      const ended = now.state !== 'running' && now.scansWaiting === 0;
      await output.run(signal);
      if (ended) {
        await output.finish({ hasEnded: true });
        return { crawl: now, output, stopped: false };
      }
      await sleep(clock, lookMs, signal);
    }
  } finally {
    keys?.close();
    output.close();
  }
}

async function harvestersLine(client: Client): Promise<string> {
  const { processes } = await client
    .call(robotHarvesters, {}, { afterInterruption: true })
    .catch(() => ({ processes: [] }));
  const threads = processes.reduce((sum, each) => sum + each.threads, 0);
  return `${threads === 0 ? 'harvesters' : formatCount(threads, 'harvester')}: + adds one, - removes one, a makes their number adapt`;
}

/** Keys do nothing if the user may not change the number of harvesters, or if none run here. */
function watchKeys(client: Client): { close(): void } {
  const change = async (key: Parameters<typeof harvestersAfter>[0]) => {
    const { processes } = await client.call(robotHarvesters, {});
    for (const { process: id, threads } of processes)
      await client.call(robotSetHarvesters, { process: id, count: harvestersAfter(key, threads) });
  };
  return watchHarvesterKeys(process.stdin, {
    pressed: (key) => void change(key).catch(() => {}),
    interrupt: () => process.kill(process.pid, 'SIGINT'),
  });
}
