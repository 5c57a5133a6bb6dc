import { setTimeout as wait } from 'node:timers/promises';
import sharp from 'sharp';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { pipelineCreate } from '../../src/engine/operation/operations/pipeline.ts';
import { stageCreate } from '../../src/engine/operation/operations/stage.ts';
import { writeZip } from '../../src/formats/zip/write-zip.ts';
import type { Client } from '../../src/terminal/client/client.ts';
import {
  documentAdd,
  documentCreate,
  documentShow,
  documentSubmit,
} from '../../src/transcription/operations/document.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { countPages, type PageCount } from './count-pages.ts';
import { type MemoryFigures, MemoryLog } from './memory-log.ts';

export interface DocumentFigures extends PageCount, MemoryFigures {
  pages: number;
  kills: number;
  /** From the submission to the end, restarts included. */
  seconds: number;
  pagesPerSecond: number;
  restartMs: number[];
}

/** As in the pipeline that transcribes: the one that takes long is planned, the others are served by every worker. */
const stages = [
  { name: 'pages.prepare', mode: 'shared' },
  { name: 'pages.layout', mode: 'shared' },
  { name: 'pages.recognise', mode: 'exclusive' },
  { name: 'pages.correct', mode: 'shared' },
  { name: 'pages.export', mode: 'shared' },
] as const;
const pagesPerZip = 500;
const reportMs = 5000;

/** Kills everything with SIGKILL while a document of many pages goes through five stages, and counts its pages at the end. */
export async function readThroughKills(options: {
  directory: string;
  pages: number;
  kills: number;
  say: (line: string) => void;
}): Promise<DocumentFigures> {
  const { directory, pages, kills, say } = options;
  const settings = { 'watchdog.periodMs': 200, 'watchdog.reconfigurationMs': 0, 'worker.count': 2 };
  const pismak = new RunningPismak(directory, settings, [...endsWithUs, ...commands.up]);
  // Often enough not to miss the moment of a kill; to count many pages takes a while.
  const lookMs = Math.min(200, pages / 10);
  const restartMs: number[] = [];
  let client: Client | undefined;
  try {
    await pismak.start();
    client = pismak.client();
    const document = await submitPages(client, pages);
    say(`${pages} pages submitted`);
    const startedAt = performance.now();
    const memory = new MemoryLog(pages);
    let reported = { at: startedAt, done: 0 };
    for (;;) {
      const { state, pages: now } = await client.call(documentShow, { document });
      const pid = (await readHolder(directory))?.pid ?? 0;
      await memory.look(pid, now.done);
      const ms = performance.now() - reported.at;
      if (ms >= reportMs) {
        const rate = ((now.done - reported.done) / ms) * 1000;
        const all = await memory.lookAtAll(pid);
        say(`${now.done} of ${pages} pages done, ${rate.toFixed(1)} pages/s, ${all} MB in all processes`);
        reported = { at: performance.now(), done: now.done };
      }
      const kill = restartMs.length + 1;
      if (['done', 'partly', 'failed'].includes(state)) break;
      if (kill <= kills && now.done >= (pages * kill) / (kills + 1)) {
        await client.close();
        restartMs.push(Math.round(await pismak.restart()));
        client = pismak.client();
        memory.beginAnew();
        say(`kill ${kill} of ${kills} at ${now.done} pages, healthy again after ${restartMs.at(-1)} ms`);
      } else await wait(lookMs);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const count = await countPages(
      client,
      document,
      Array.from({ length: pages }, (_, index) => nameOf(index)),
    );
    await client.close();
    await pismak.stop();
    return {
      pages,
      kills: restartMs.length,
      ...count,
      seconds: Math.round(seconds * 10) / 10,
      pagesPerSecond: Math.round((pages / seconds) * 10) / 10,
      restartMs,
      ...memory.figures,
    };
  } finally {
    await client?.close();
    await pismak.kill();
  }
}

async function submitPages(client: Client, pages: number): Promise<string> {
  const config = 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0\nTIME_DIFF_MAX = 0.005';
  for (const stage of stages)
    await client.call(stageCreate, { ...stage, processor: 'dummy', config, concurrency: 8 });
  const names = stages.map(({ name }) => name);
  await client.call(pipelineCreate, { name: 'pages', stages: [...names, 'pages.out'] });
  const { id: document } = await client.call(documentCreate, {
    name: 'many pages',
    pipeline: 'pages',
  });
  for (let start = 0; start < pages; start += pagesPerZip) {
    const { hash } = await client.upload(zipOf(start, Math.min(pagesPerZip, pages - start)));
    await client.call(documentAdd, { document, name: `from ${start}.zip`, hash });
  }
  await client.call(documentSubmit, { document });
  return document;
}

function nameOf(index: number): string {
  return `${index}.png`;
}

/** Small pages, no two alike. */
function zipOf(start: number, count: number): AsyncIterable<Uint8Array> {
  async function* entries() {
    for (let index = start; index < start + count; index++) {
      const data = Buffer.alloc(64 * 64, 255);
      data.writeUInt32BE(index, 64 * 32);
      const raw = { width: 64, height: 64, channels: 1 } as const;
      yield { name: nameOf(index), content: await sharp(data, { raw }).png().toBuffer() };
    }
  }
  return writeZip(entries(), new Date(0));
}
