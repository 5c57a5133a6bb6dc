import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import type { Client } from '../../src/cli/client.ts';
import { openHttpClient } from '../../src/cli/http-client.ts';
import { systemClock } from '../../src/engine/clock.ts';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { writeZip } from '../../src/transcription/formats/zip.ts';
import { commands, RunningPismak } from '../running-pismak.ts';

export interface DocumentFigures {
  pages: number;
  kills: number;
  done: number;
  failed: number;
  seconds: number;
  pagesPerSecond: number;
  /** Of the main process, while it worked; each life of it begins anew. */
  medianRssMb: number;
  mostRssMb: number;
}

const stages = ['pages.1', 'pages.2', 'pages.3', 'pages.4', 'pages.5'];
const pagesPerZip = 500;

interface Progress {
  state: string;
  pages: { total: number; done: number; failed: number };
}

/** Kills everything with SIGKILL while a document of many pages goes through five stages, and counts its pages at the end. */
export async function readThroughKills(options: {
  directory: string;
  pages: number;
  kills: number;
  say: (line: string) => void;
}): Promise<DocumentFigures> {
  const { directory, pages, kills, say } = options;
  const settings = { 'watchdog.periodMs': 200, 'watchdog.reconfigurationMs': 0, 'worker.count': 2 };
  const pismak = new RunningPismak(directory, settings, commands.up);
  const memory: number[] = [];
  try {
    let client = await start(pismak, directory);
    const config = 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0\nTIME_DIFF_MAX = 0.005';
    for (const name of stages) {
      await client.call('stage.create', { name, processor: 'dummy', config, mode: 'shared', concurrency: 8 });
    }
    await client.call('pipeline.create', { name: 'pages', stages: [...stages, 'pages.out'] });
    const { id: document } = await client.call<{ id: string }>('document.create', {
      ...{ name: 'many pages', pipeline: 'pages' },
    });
    for (let start = 0; start < pages; start += pagesPerZip) {
      const { hash } = await client.upload(zipOf(start, Math.min(pagesPerZip, pages - start)));
      await client.call('document.add', { document, name: `from ${start}.zip`, hash });
    }
    await client.call('document.submit', { document });
    const startedAt = performance.now();
    for (let kill = 1; ; ) {
      const { state, pages: now } = await client.call<Progress>('document.show', { document });
      memory.push(await residentMb(pismak));
      if (kill <= kills && now.done >= (pages * kill) / (kills + 1)) {
        await pismak.kill();
        await client.close();
        client = await start(pismak, directory);
        say(`kill ${kill++} of ${kills} at ${now.done} pages`);
      } else if (['done', 'partly', 'failed'].includes(state)) {
        const seconds = (performance.now() - startedAt) / 1000;
        await client.close();
        await pismak.stop();
        const sorted = memory.toSorted((a, b) => a - b);
        return {
          ...{ pages, kills, done: now.done, failed: now.failed, seconds: Math.round(seconds) },
          pagesPerSecond: Math.round((pages / seconds) * 10) / 10,
          medianRssMb: sorted[Math.floor(sorted.length / 2)] ?? 0,
          mostRssMb: sorted.at(-1) ?? 0,
        };
      } else await wait(200);
    }
  } finally {
    await pismak.kill();
  }
}

async function start(pismak: RunningPismak, directory: string): Promise<Client> {
  await pismak.start();
  const holder = await readHolder(directory);
  const interruption = new AbortController().signal;
  return openHttpClient({ url: pismak.url, token: holder?.token, clock: systemClock, interruption });
}

/** Small pages, no two alike. */
function zipOf(start: number, count: number): AsyncIterable<Uint8Array> {
  async function* entries() {
    for (let number = start; number < start + count; number++) {
      const data = Buffer.alloc(64 * 64, 255);
      data.writeUInt32BE(number, 64 * 32);
      const raw = { width: 64, height: 64, channels: 1 } as const;
      yield { name: `${number}.png`, content: await sharp(data, { raw }).png().toBuffer() };
    }
  }
  return writeZip(entries(), new Date(0));
}

async function residentMb(pismak: RunningPismak): Promise<number> {
  const metrics = await (await fetch(`${pismak.url}/metrics`)).text();
  return Math.round(Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1] ?? 0) / 2 ** 20);
}
