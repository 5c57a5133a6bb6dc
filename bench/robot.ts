/**
 * Compares the robot with Scrapy, Crawlee and wget on the same pages, served by nginx, without delays and in one run; and measures
 * the frontier while it grows. `node bench/robot.ts [--only peers,frontier] [--pages 50000] [--urls 5000000] [--json FILE]`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureFrontier } from './robot/frontier-part.ts';
import { serveWithNginx } from './robot/nginx.ts';
import { type Contest, crawlee, type Peer, pismak, scrapy, wget } from './robot/peers.ts';
import { writePages } from './robot/static-pages.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'peers,frontier' },
    pages: { type: 'string', default: '50000' },
    urls: { type: 'string', default: '5000000' },
    limit: { type: 'string', default: '300' },
  },
});
const chosen = values.only.split(',');
const measured: Record<string, object[]> = {};
if (chosen.includes('peers')) measured.peers = await comparePeers(Number(values.pages));
if (chosen.includes('frontier')) measured.frontier = await measureFrontier(Number(values.urls));
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, ...measured }, null, 2)}\n`);
}

/** Each peer is tried with a tenth of the pages' time at each concurrency first; the best one counts. */
async function comparePeers(pages: number): Promise<Contest[]> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-'));
  const files = join(directory, 'pages');
  const { bytes } = await writePages(files, pages);
  console.log(`${pages} pages, ${Math.round(bytes / pages)} bytes each`);
  const nginx = await serveWithNginx(directory, files);
  const limitMs = 1000 * Number(values.limit);
  const results: Contest[] = [];
  try {
    for (const peer of [pismak, scrapy, crawlee, wget]) {
      const best = await bestConcurrency(peer, directory, nginx.url);
      results.push(await runPeer(peer, { directory, url: nginx.url, concurrency: best, limitMs }));
      console.table(results.at(-1));
    }
  } finally {
    await nginx.close();
    await rm(directory, { recursive: true, force: true });
  }
  const [ours, ...others] = results;
  const fastest = Math.max(
    ...others.filter(({ name }) => name !== 'wget').map((each) => each.pagesPerSecond),
  );
  console.table(results.map(({ settings: _, ...figures }) => figures));
  console.log(`${((ours?.pagesPerSecond ?? 0) / fastest).toFixed(1)} times the faster of Scrapy and Crawlee`);
  return results;
}

async function bestConcurrency(peer: Peer, directory: string, url: string): Promise<number> {
  const { concurrencies } = peer;
  const [only = 1] = concurrencies;
  if (concurrencies.length === 1) return only;
  let best = { concurrency: only, rate: 0 };
  for (const concurrency of concurrencies) {
    const { pagesPerSecond: rate } = await runPeer(peer, { directory, url, concurrency, limitMs: 10_000 });
    if (rate > best.rate) best = { concurrency, rate };
  }
  return best.concurrency;
}

async function runPeer(
  peer: Peer,
  { directory, ...options }: { directory: string; url: string; concurrency: number; limitMs: number },
): Promise<Contest> {
  const place = join(directory, `${peer.name}-${Date.now()}`);
  await mkdir(place);
  try {
    return await peer.run({ ...options, directory: place });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
