/**
 * Compares the robot with Scrapy, Crawlee and wget on the same pages, served by nginx, without delays and in one run; and measures
 * the frontier while it grows. `node bench/robot.ts [--only peers,frontier] [--peers pismak,scrapy,crawlee,wget] [--pages 50001]
 * [--site DIRECTORY] [--limit 300] [--urls 5000000] [--alone] [--json FILE]`. `--site` serves the HTML files of a directory, with listings of its
 * folders, instead of pages that are drawn here.
 */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Comparable, less, more } from './comparable.ts';
import { measureFrontier } from './robot/frontier-part.ts';
import { serveWithNginx } from './robot/nginx.ts';
import { type Contest, crawlee, htmlFilesIn, type Peer, pismak, scrapy, wget } from './robot/peers.ts';
import { writePages } from './robot/static-pages.ts';
import { printTargets, type Target } from './transcription/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    only: { type: 'string', default: 'peers,frontier' },
    peers: { type: 'string', default: 'pismak,scrapy,crawlee,wget' },
    // The first is index.html, which is not counted.
    pages: { type: 'string', default: '50001' },
    site: { type: 'string' },
    urls: { type: 'string', default: '5000000' },
    limit: { type: 'string', default: '300' },
    // Without peers, for `bench -- compare`.
    alone: { type: 'boolean', default: false },
  },
});
const chosen = values.only.split(',');
/** How long each concurrency is tried. */
const tryMs = 10_000;
const targets: Target[] = [];
const comparable: Comparable[] = [];
const measured: Record<string, object[]> = {};
if (chosen.includes('peers')) measured.peers = await comparePeers();
if (chosen.includes('frontier')) {
  const { rows, reached } = await measureFrontier(Number(values.urls));
  measured.frontier = rows;
  targets.push(...reached);
  const last = rows.at(-1);
  if (last)
    comparable.push(
      less('full frontier, CPU us an insert', last['cpu µs an insert']),
      less('full frontier, next batch, ms', last['next batch ms']),
      less('full frontier, RSS, MB', last['rss MB']),
    );
}
printTargets(targets);
if (values.json) {
  const machine = { node: process.version, cores: availableParallelism(), at: new Date().toISOString() };
  await writeFile(values.json, `${JSON.stringify({ machine, ...measured, targets, comparable }, null, 2)}\n`);
}

/** Each peer is tried for ten seconds at each concurrency first; the best one counts. */
async function comparePeers(): Promise<Contest[]> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-bench-'));
  const { site } = values;
  const files = site === undefined ? join(directory, 'pages') : resolve(site);
  if (site === undefined) await writePages(files, Number(values.pages));
  const { pages, bytes } = await sizeOf(files);
  console.log(`${pages} pages, ${Math.round(bytes / pages)} bytes each`);
  const nginx = await serveWithNginx(directory, files, { listings: site !== undefined });
  const limitMs = 1000 * Number(values.limit);
  const named = values.alone ? ['pismak'] : values.peers.split(',');
  const results: Contest[] = [];
  try {
    for (const peer of [pismak, scrapy, crawlee, wget]) {
      if (!named.includes(peer.name.toLowerCase())) continue;
      const best = await bestConcurrency(peer, directory, nginx.url);
      console.log(`${peer.name}: to its end or ${values.limit} s`);
      const result = await runPeer(peer, { directory, url: nginx.url, concurrency: best, limitMs });
      console.table(result);
      if (result.ended && result.pages !== pages)
        console.log(`${peer.name} ended and has stored ${result.pages} of ${pages} pages`);
      results.push(result);
    }
  } finally {
    await nginx.close();
    await rm(directory, { recursive: true, force: true });
  }
  console.table(results.map(({ settings: _, ...figures }) => figures));
  const rateOf = (name: string) => results.find((result) => result.name === name)?.pagesPerSecond ?? 0;
  const fastest = Math.max(rateOf('Scrapy'), rateOf('Crawlee'));
  const ours = results.find(({ name }) => name === 'Pismak');
  if (ours) comparable.push(more('pages/s', ours.pages / ours.seconds), more('pages stored', ours.pages));
  if (ours && fastest > 0) {
    const times = ours.pagesPerSecond / fastest;
    targets.push({
      name: 'pages a second, against the faster of Scrapy and Crawlee',
      wanted: `at least 5 times, ${pages} pages stored`,
      measured: `${times.toFixed(1)} times, ${ours.pages} pages`,
      reached: times >= 5 && ours.ended && ours.pages === pages,
    });
  }
  return results;
}

async function sizeOf(directory: string): Promise<{ pages: number; bytes: number }> {
  const files = await htmlFilesIn(directory);
  let bytes = 0;
  for (const file of files) bytes += (await stat(join(directory, file))).size;
  return { pages: files.length, bytes };
}

async function bestConcurrency(peer: Peer, directory: string, url: string): Promise<number> {
  const { concurrencies } = peer;
  const [only = 1] = concurrencies;
  if (concurrencies.length === 1) return only;
  let best = { concurrency: only, rate: 0 };
  for (const concurrency of concurrencies) {
    const { pagesPerSecond: rate } = await runPeer(peer, { directory, url, concurrency, limitMs: tryMs });
    console.log(`${peer.name} with concurrency ${concurrency}: ${rate} pages/s in ${tryMs / 1000} s`);
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
