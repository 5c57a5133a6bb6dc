import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { stageList } from '../../src/engine/operation/operations/stage.ts';
import { decodeRequest } from '../../src/engine/request/request.ts';
import { commands, RunningPismak } from '../../test/running-pismak.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { median } from '../engine/work.ts';
import { memoryOfTree, type ProcessMemory, total } from './process-memory.ts';

/** Instead of the minutes after which an idle process normally ends. */
const idleProcessMs = 1_000;
const output = 'idle.out';
/** The first exists from the beginning; the others report when they started. */
const measured = ['correct', 'idle.shared', 'idle.exclusive'] as const;

export interface IdleFigures {
  workers: number;
  stages: number;
  processes: number;
  pssMb: number;
  aloneMb: number;
  each: ProcessMemory[];
  /** Milliseconds from the submission until the processor had the request: the median, and the longest. */
  firstMessage: Record<string, { medianMs: number; mostMs: number }>;
}

/** `pismak up` with nothing to do, and the first message after everything idle has gone. */
export async function idlePart(options: {
  workers: number;
  moreStages: number;
  rounds: number;
  restMs: number;
}): Promise<IdleFigures> {
  const { workers, moreStages, rounds, restMs } = options;
  const directory = scratchDirectory();
  const configuration = join(scratchDirectory(), 'pismak.toml');
  const processor = fileURLToPath(new URL('./tell-time.ts', import.meta.url));
  await writeFile(configuration, `[processors]\ntell-time = ${JSON.stringify(processor)}\n`);
  const settings = { 'worker.count': workers, 'worker.idleProcessMs': idleProcessMs };
  const pismak = new RunningPismak(directory, settings, [...commands.up, '--config', configuration]);
  await pismak.start();
  try {
    const pid = (await readHolder(directory))?.pid ?? 0;
    await createStages(pismak, moreStages);
    await untilQuiet(pid);
    const { each, processes } = await rest(pid, restMs);
    const times = new Map<string, number[]>(measured.map((stage) => [stage, []]));
    for (let round = 0; round < rounds; round++) {
      for (const [stage, taken] of times) {
        await untilQuiet(pid);
        taken.push(await firstMessage(pismak, stage));
      }
    }
    const firstMessages = [...times].map(([stage, taken]) => [
      stage,
      { medianMs: median(taken), mostMs: Math.max(...taken) },
    ]);
    const client = pismak.client();
    const { stages } = await client.call(stageList, {});
    await client.close();
    return {
      workers,
      stages: stages.length,
      processes,
      ...total(each),
      each,
      firstMessage: Object.fromEntries(firstMessages),
    };
  } finally {
    await pismak.stop();
  }
}

async function createStages(pismak: RunningPismak, count: number): Promise<void> {
  await pismak.call('stage.create', { name: 'idle.shared', processor: 'tell-time', mode: 'shared' });
  await pismak.call('stage.create', { name: 'idle.exclusive', processor: 'tell-time' });
  const kinds = [
    { processor: 'correct', mode: 'shared' },
    { processor: 'export', mode: 'shared' },
    { processor: 'prepare', mode: 'shared' },
    { processor: 'recognise', mode: 'exclusive' },
  ];
  for (let index = 0; index < count; index++) {
    await pismak.call('stage.create', { name: `idle.${index}`, ...kinds[index % kinds.length] });
  }
  const id = `${hostname()}-1`;
  await pismak.call('worker.switch', { id, stage: 'idle.exclusive' });
  await pismak.call('worker.pin', { id, pinned: true });
}

/** Only Pismak itself and its spare process are left, and the latter has been ready for a moment. */
async function untilQuiet(pid: number): Promise<void> {
  let quietSince: number | undefined;
  let spare: number | undefined;
  const end = performance.now() + 180_000;
  while (quietSince === undefined || performance.now() - quietSince < 3_000) {
    if (performance.now() > end) throw new Error('its idle processes did not end within three minutes');
    const all = await memoryOfTree(pid);
    // The spare process may stand behind two small ones that confine it.
    const isQuiet = all.filter(({ anonymousMb }) => anonymousMb > 5).length === 2;
    const isSame = isQuiet && all.at(-1)?.pid === spare;
    spare = isQuiet ? all.at(-1)?.pid : undefined;
    if (!isSame) quietSince = undefined;
    else quietSince ??= performance.now();
    await wait(100);
  }
}

/** The maximum while it was idle. */
async function rest(pid: number, restMs: number): Promise<{ each: ProcessMemory[]; processes: number }> {
  const samples = [];
  for (const end = performance.now() + restMs; performance.now() < end; await wait(500)) {
    samples.push(await memoryOfTree(pid));
  }
  const each = samples.reduce((most, one) => (total(one).aloneMb > total(most).aloneMb ? one : most));
  return { each, processes: Math.max(...samples.map(({ length }) => length)) };
}

async function firstMessage(pismak: RunningPismak, stage: string): Promise<number> {
  const submittedAt = Date.now();
  await pismak.call('request.submit', { stages: [stage, output], files: [] });
  const { results } = await pismak.call<{ results: { receipt: string; message: string }[] }>('results.take', {
    queue: output,
    waitMs: 30_000,
  });
  await pismak.call('results.confirm', { receipts: results.map(({ receipt }) => receipt) });
  const request = decodeRequest(Buffer.from(results[0]?.message ?? '', 'base64'));
  const began = request.results.find(({ name }) => name === 'began')?.content;
  if (began) return Number(Buffer.from(began)) - submittedAt;
  // A stage of the house doesn't report when it started; it has no work for this request, so its end is close to that.
  const { end } = request.logs.at(-1) ?? {};
  return Number(end?.seconds ?? 0) * 1000 + (end?.nanos ?? 0) / 1e6 - submittedAt;
}
