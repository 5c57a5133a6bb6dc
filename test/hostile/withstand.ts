import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { residentMb, residentMbOfAll } from '../faults/memory-use.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import type { AttackFigures, Orders } from './attack-figures.ts';
import { type Experience, HonestUser } from './honest-user.ts';
import { crawlHostileWeb, type HostileWebFigures } from './hostile-web.ts';
import { ownThings } from './own-things.ts';
import type { Visitor } from './target.ts';

export interface Siege {
  directory: string;
  seed: number;
  requests: number;
  files: number;
  /** How long the honest user is measured alone. */
  quietMs: number;
  /** Processor time that a page may take to be opened; the stage's own limit by default. */
  pageSeconds?: number;
  /** Whether the robot crawls a hostile web meanwhile. */
  web?: boolean;
  onProgress?(line: string): void;
}

export interface SiegeFigures {
  seed: number;
  attack: AttackFigures;
  web?: HostileWebFigures | undefined;
  honest: {
    alone: Experience;
    attacked: Experience;
    /** 99th percentile under attack, as a multiple of that alone. */
    callsRatio: number;
    requestsRatio: number;
    failures: string[];
  };
  memoryMb: { mainBefore: number; mainMost: number; mainAfter: number; allMost: number };
  /** What the honest user had before is there and unchanged. */
  kept: boolean;
  restarts: number;
  seconds: number;
}

/**
 * Memory that the main process may use under attack, and all processes together: two workers may each open two pages, of
 * 2 GB at most.
 */
export const memoryLimitMb = { main: 800, all: 8_000 };
/** How much slower the honest user's 99th percentile may become. */
export const slowdownLimit = 3;

/** Runs `pismak up` with its default settings, an honest user, and attackers beside it. */
export async function withstand(siege: Siege): Promise<SiegeFigures> {
  const up = new RunningPismak(join(siege.directory, 'data'), {}, [...endsWithUs, ...commands.up]);
  await up.start();
  try {
    return await besiege(siege, up);
  } finally {
    await up.kill();
  }
}

async function besiege(siege: Siege, up: RunningPismak): Promise<SiegeFigures> {
  const startedAt = performance.now();
  const people = await signUp(up);
  const honest = new HonestUser(up.url, people.honest);
  await up.call('stage.create', {
    name: 'honest-stage',
    processor: 'dummy',
    mode: 'shared',
    config: 'DUMMY = True\nTIME_SCALE = 0.0001\nTIME_DELTA = 0\n',
  });
  await up.call('pipeline.create', { name: 'honest', stages: ['honest-stage', 'common-results'] });
  if (siege.pageSeconds !== undefined)
    await up.call('stage.configure', { name: 'split', config: `PAGE_SECONDS = ${siege.pageSeconds}\n` });
  const before = await ownThings(honest, up.url, people.honest);

  // Not measured: whatever is loaded on first use.
  await honest.work(AbortSignal.timeout(3_000));
  siege.onProgress?.('the honest user is alone');
  const { pid } = up;
  const memoryMb = { mainBefore: await residentMb(pid), mainMost: 0, mainAfter: 0, allMost: 0 };
  const over = new AbortController();
  // Looking costs time, so it looks while the honest user is alone too.
  const watching = watchMemory(pid, memoryMb, over.signal);
  const alone = await honest.work(AbortSignal.timeout(siege.quietMs));

  const orders: Orders = {
    url: up.url,
    seed: siege.seed,
    requests: siege.requests,
    files: siege.files,
    visitors: people.attackers,
    senders: people.senders,
    foreign: before.ids,
    secrets: before.secrets,
    own: ['demo', 'demo.out', 'transcription', 'honest', 'mallory1', 'local', 'admin', '0'.repeat(64)],
  };
  const working = honest.work(over.signal);
  const crawling = siege.web ? crawlHostileWeb(up, siege) : undefined;
  const [attack, web] = await Promise.all([runAttackers(orders, siege.onProgress), crawling]).finally(() =>
    over.abort(),
  );
  attack.faults.push(...(web?.faults ?? []));
  const attacked = await working;
  await watching;

  const kept = await before.unchanged();
  // Memory that the attack needed is given back.
  await wait(2_000);
  memoryMb.mainAfter = await residentMb(pid);
  const ratio = (which: 'calls' | 'requests') =>
    Math.round((attacked[which].p99 / Math.max(alone[which].p99, 1)) * 100) / 100;
  return {
    seed: siege.seed,
    attack,
    web,
    honest: {
      alone,
      attacked,
      callsRatio: ratio('calls'),
      requestsRatio: ratio('requests'),
      failures: honest.failures.slice(0, 20),
    },
    memoryMb,
    kept,
    restarts: (await alive(pid)) ? 0 : 1,
    seconds: Math.round((performance.now() - startedAt) / 1000),
  };
}

/** What went wrong; empty if the program withstood. Times count only where they were measured long enough. */
export function faultsOf(figures: SiegeFigures, options: { times: boolean }): string[] {
  const { attack, honest, memoryMb } = figures;
  const faults = [...attack.faults];
  if (attack.faultCount > attack.faults.length)
    faults.push(`and ${attack.faultCount - attack.faults.length} more`);
  if (figures.restarts > 0) faults.push('the process died');
  if (!figures.kept) faults.push('things of the honest user are gone or changed');
  if (attack.files.unfinished > 0) faults.push(`${attack.files.unfinished} files were never finished`);
  for (const failure of honest.failures) faults.push(`the honest user was refused: ${failure}`);
  if (memoryMb.mainMost > memoryLimitMb.main) faults.push(`the main process took ${memoryMb.mainMost} MB`);
  if (memoryMb.allMost > memoryLimitMb.all) faults.push(`all processes together took ${memoryMb.allMost} MB`);
  if (!options.times) return faults;
  if (honest.callsRatio > slowdownLimit)
    faults.push(`the honest user's calls became ${honest.callsRatio}x slower`);
  if (honest.requestsRatio > slowdownLimit)
    faults.push(`the honest user's requests became ${honest.requestsRatio}x slower`);
  return faults;
}

async function signUp(up: RunningPismak) {
  let number = 1;
  const someone = async (name: string, role: string): Promise<Visitor> => {
    await up.call('user.create', { name, password: `password of ${name}`, role });
    const { key } = await up.call<{ key: string }>('key.create', { name: 'test', owner: name, role });
    return { name, key, address: `127.0.0.${++number}` };
  };
  const honest = await someone('honest', 'user');
  const readers = [await someone('rita', 'reader'), await someone('rudolf', 'reader')];
  const users: Visitor[] = [];
  for (const n of [1, 2, 3, 4]) users.push(await someone(`mallory${n}`, 'user'));
  const strangers = [1, 2, 3, 4].map((n): Visitor => ({ name: `stranger${n}`, address: `127.0.1.${n}` }));
  const senders: Visitor[] = [];
  for (const n of [1, 2, 3, 4]) senders.push(await someone(`sender${n}`, 'user'));
  return { honest, attackers: [...users, ...readers, ...strangers], senders };
}

function runAttackers(orders: Orders, onProgress: Siege['onProgress']): Promise<AttackFigures> {
  const { promise, resolve, reject } = Promise.withResolvers<AttackFigures>();
  const child = fork(join(import.meta.dirname, 'attackers.ts'), [JSON.stringify(orders)], {
    serialization: 'advanced',
    // A session of its own, whose priority it lowers: attackers come from other machines and take no core from us.
    detached: true,
  });
  let said = 0;
  let faults = 0;
  child.on('message', (message: { progress?: AttackFigures; done?: AttackFigures }) => {
    if (message.done) resolve(message.done);
    const { progress } = message;
    for (const fault of progress?.faults.slice(faults) ?? []) onProgress?.(`fault: ${fault}`);
    faults = progress?.faults.length ?? faults;
    if (!progress || performance.now() - said < 5_000) return;
    said = performance.now();
    const { done, failed, refused } = progress.files;
    const files = `${done + failed + refused} of ${orders.files} files`;
    onProgress?.(
      `${progress.requests} of ${orders.requests} requests, ${files}, ${progress.faultCount} faults`,
    );
  });
  child.once('error', reject);
  child.once('exit', (code) => reject(new Error(`the attackers ended with ${code}`)));
  return promise;
}

async function watchMemory(
  pid: number,
  memory: SiegeFigures['memoryMb'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    memory.mainMost = Math.max(memory.mainMost, await residentMb(pid));
    memory.allMost = Math.max(memory.allMost, await residentMbOfAll(pid));
    await wait(500);
  }
}

async function alive(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) !== '';
}
