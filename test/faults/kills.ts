import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeRequest } from '../../src/engine/request/request.ts';
import { RunningPismak } from '../running-pismak.ts';

export interface KillFigures {
  kills: number;
  /** Confirmed to whoever sent them. */
  requests: number;
  /** Messages found in the output queue, before duplicates are suppressed. */
  raw: number;
  /** Different uuids among them: what a collector keeps. */
  collected: number;
  duplicates: number;
  lost: number;
  failed: number;
  medianRestartMs: number;
  seconds: number;
}

const stages = ['kill.first', 'kill.second', 'kill.third'];
const output = 'kill.out';

/**
 * Kills `npm start` with SIGKILL again and again while requests run through three stages, and counts what comes out.
 * A submission counts once it was confirmed; one whose answer was cut off is sent again with the same uuid.
 */
export async function surviveKills(options: {
  directory: string;
  kills: number;
  /** At least: there are more when these are sent before the last kill. */
  requests: number;
  say: (line: string) => void;
}): Promise<KillFigures> {
  const { kills, requests, say } = options;
  const startedAt = performance.now();
  const pismak = new RunningPismak(options.directory, {
    'watchdog.periodMs': 100,
    'watchdog.reconfigurationMs': 300,
    'worker.count': 2,
  });
  const restarts: number[] = [];
  try {
    await pismak.start();
    for (const name of stages) {
      const config = 'TIME_SCALE = 0\nTIME_DIFF_MIN = 0.001\nTIME_DIFF_MAX = 0.01';
      await pismak.call('stage.create', { name, processor: 'dummy', config, concurrency: 4 });
    }

    let killed = false;
    const submitting = submitAll(pismak, requests, () => killed);
    for (let kill = 1; kill <= kills; kill++) {
      // Spread over the life of a process, its first moments included.
      await wait(Math.random() * 2_500);
      restarts.push(await pismak.restart());
      say(`kill ${kill} of ${kills}: healthy again after ${Math.round(restarts.at(-1) ?? 0)} ms`);
    }
    killed = true;
    const submitted = await submitting;
    await idle(pismak, say);
    const found = await collect(pismak);
    await pismak.stop();

    const lost = submitted.filter((uuid) => !found.counts.has(uuid)).length;
    const raw = [...found.counts.values()].reduce((sum, count) => sum + count, 0);
    return {
      kills,
      requests: submitted.length,
      raw,
      collected: found.counts.size,
      duplicates: raw - found.counts.size,
      lost,
      failed: found.failed,
      medianRestartMs: Math.round(restarts.sort((a, b) => a - b)[Math.floor(restarts.length / 2)] ?? 0),
      seconds: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await pismak.kill();
  }
}

/**
 * Ten at a time, `count` of them and then slowly on until it is over, so that every kill finds work under way. Whoever
 * gets no answer asks again, as long as it takes.
 */
async function submitAll(pismak: RunningPismak, count: number, isOver: () => boolean): Promise<string[]> {
  const uuids: string[] = [];
  const content = Buffer.alloc(1000, 'x').toString('base64');
  const submitOne = async () => {
    while (uuids.length < count || !isOver()) {
      if (uuids.length >= count) await wait(100);
      const uuid = randomUUID();
      uuids.push(uuid);
      for (;;) {
        try {
          await pismak.call('request.submit', {
            uuid,
            stages: [...stages, output],
            files: [{ name: 'page', content }],
          });
          break;
        } catch {
          await wait(50);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, submitOne));
  return uuids;
}

/** Waits until nothing waits, in the backlog either, and nothing is under way in the three stages. */
async function idle(pismak: RunningPismak, say: (line: string) => void): Promise<void> {
  for (let round = 0; ; round++) {
    const metrics = await pismak.metrics();
    const left = metrics
      .split('\n')
      .filter(
        (line) =>
          /^pismak_queue_(ready|backlog|delayed|in_flight)/.test(line) &&
          stages.some((name) => line.includes(`"${name}"`)),
      )
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    if (left === 0) return;
    if (round % 50 === 0) say(`${left} messages still in the stages`);
    await wait(100);
  }
}

async function collect(pismak: RunningPismak): Promise<{ counts: Map<string, number>; failed: number }> {
  const counts = new Map<string, number>();
  let failed = 0;
  for (;;) {
    const { results } = await pismak.call<{ results: { receipt: string; message: string }[] }>(
      'results.take',
      {
        queue: output,
        max: 100,
        waitMs: 200,
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
