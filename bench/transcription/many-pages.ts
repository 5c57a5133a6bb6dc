import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { decodeRequest } from '../../src/engine/request/request.ts';
import { RunningPismak } from '../../test/running-pismak.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { secondsSince } from '../engine/work.ts';

export interface ManyPages {
  pages: number;
  seconds: number;
  perSecond: number;
  /** Resident memory of the main process in MB, sampled evenly over the time that it ran, before and after the kill. */
  megabytes: { beforeKill: number[]; afterKill: number[] };
  restartMs: number;
  lost: number;
  duplicates: number;
  failed: number;
}

/** As in the pipeline that transcribes: the one that takes long is planned, the others are served by every worker. */
const stages = [
  { name: 'many.prepare', mode: 'shared' },
  { name: 'many.layout', mode: 'shared' },
  { name: 'many.recognise', mode: 'exclusive' },
  { name: 'many.correct', mode: 'shared' },
  { name: 'many.export', mode: 'shared' },
] as const;
const output = 'many.out';

/** Pages that only wait a millisecond in each of five stages; everything is killed when half of them are through. */
export async function manyPages(pages: number, say: (line: string) => void): Promise<ManyPages> {
  const directory = scratchDirectory();
  const pismak = new RunningPismak(directory, { 'worker.count': 2, 'watchdog.periodMs': 200 });
  const stop = new AbortController();
  // Ctrl-C must not leave it running; the signal is sent before this returns.
  process.once('exit', () => void pismak.kill());
  try {
    await pismak.start();
    const config = 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0.001\nTIME_DIFF_MAX = 0.001';
    for (const stage of stages)
      await pismak.call('stage.create', { ...stage, processor: 'dummy', config, concurrency: 8 });
    const started = performance.now();
    let submitted: string[] | undefined;
    const submitting = submit(pismak, pages, stop.signal).then((uuids) => {
      submitted = uuids;
      return uuids;
    });
    const beforeKill = await watchMemory(pismak, directory, ({ through }) => through >= pages / 2);
    await pismak.kill();
    const restartMs = await pismak.start();
    say(`killed when half were through, healthy again after ${Math.round(restartMs)} ms`);
    const afterKill = await watchMemory(
      pismak,
      directory,
      ({ left }) => submitted !== undefined && left === 0,
    );
    const uuids = await submitting;
    const seconds = secondsSince(started);
    const { counts, failed } = await collect(pismak);
    await pismak.stop();
    const raw = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      ...{ pages, seconds, perSecond: pages / seconds, restartMs, failed },
      megabytes: { beforeKill: thinned(beforeKill), afterKill: thinned(afterKill) },
      lost: uuids.filter((uuid) => !counts.has(uuid)).length,
      duplicates: raw - counts.size,
    };
  } finally {
    stop.abort();
    await pismak.kill();
  }
}

/** Ten at a time; whoever gets no answer asks again. */
async function submit(pismak: RunningPismak, count: number, signal: AbortSignal): Promise<string[]> {
  const uuids = Array.from({ length: count }, () => randomUUID());
  const waiting = uuids.values();
  const files = [{ name: 'source', content: Buffer.alloc(1000, 'x').toString('base64') }];
  const submitOne = async (uuid: string) => {
    const input = { uuid, files, stages: [...stages.map(({ name }) => name), output] };
    // While it is killed nobody answers; the same uuid makes it the same page, however often it is sent.
    for (let sent = false; !sent && !signal.aborted; ) {
      const answer = pismak.call('request.submit', input);
      sent = await answer.then(
        () => true,
        () => wait(50, false),
      );
    }
  };
  const some = async () => {
    for (const uuid of waiting) await submitOne(uuid);
  };
  await Promise.all(Array.from({ length: 10 }, some));
  return uuids;
}

/** Looks four times a second, until there is enough in the output queue or nothing left in the stages. */
async function watchMemory(
  pismak: RunningPismak,
  directory: string,
  isEnough: (pages: { through: number; left: number }) => boolean,
): Promise<number[]> {
  const pid = (await readHolder(directory))?.pid;
  const megabytes: number[] = [];
  for (;;) {
    const metrics = await (await fetch(`${pismak.url}/metrics`)).text();
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8');
    megabytes.push(Math.round((Number(statm.split(' ')[1]) * 4096) / 1048576));
    const count = { through: 0, left: 0 };
    // One line a lane.
    for (const [, queue, value] of metrics.matchAll(
      /^pismak_queue_(?:ready|delayed|in_flight)\{queue="(many\.\w+)"[^}]*\} (\d+)/gm,
    ))
      count[queue === output ? 'through' : 'left'] += Number(value);
    if (isEnough(count)) return megabytes;
    await wait(250);
  }
}

async function collect(pismak: RunningPismak): Promise<{ counts: Map<string, number>; failed: number }> {
  const counts = new Map<string, number>();
  let failed = 0;
  for (;;) {
    const { results } = await pismak.call<{ results: { receipt: string; message: string }[] }>(
      'results.take',
      {
        ...{ queue: output, max: 100, waitMs: 500 },
      },
    );
    if (results.length === 0) return { counts, failed };
    for (const { message } of results) {
      const request = decodeRequest(Buffer.from(message, 'base64'));
      counts.set(request.uuid, (counts.get(request.uuid) ?? 0) + 1);
      if (request.logs.at(-1)?.status !== 'OK') failed++;
    }
    await pismak.call('results.confirm', { receipts: results.map((result) => result.receipt) });
  }
}

/** At most ten, evenly. */
function thinned(values: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(values.length / 10));
  return values.filter((_, index) => index % step === 0);
}
