import { fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { alertList } from '../../src/engine/operation/operations/alert.ts';
import { residentMb, residentMbOfAll } from '../faults/memory-use.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import type { AttackFigures, Orders } from './attack-figures.ts';
import { type Experience, HonestUser } from './honest-user.ts';
import type { HostileWebFigures } from './hostile-web.ts';
import { type MailServers, openMailServers } from './mail-servers.ts';
import { Neighbours } from './neighbours.ts';
import { ownThings } from './own-things.ts';
import { send, type Visitor } from './target.ts';

export interface Siege {
  directory: string;
  seed: number;
  requests: number;
  files: number;
  /** How long the honest user is measured alone. */
  quietMs: number;
  /** Processor time that a page may take to be opened; the stage's own limit by default. */
  pageSeconds?: number;
  /** How fast the honest user works, 1 by default: as fast as a busy page of a console. */
  pace?: number;
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
    mailsRatio: number;
    failures: string[];
  };
  /** The longest time that the main thread worked at once, in ms of processor time, and the operation. */
  longestPiece: { operation: string; ms: number };
  /** Operations that exceeded the limit, as the alerts say. */
  busy: string[];
  hostileRelayConnections: number;
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
/** How long the main thread may work at once, in ms of processor time. */
export const pieceLimitMs = 100;
/** How much slower the honest user's 99th percentile may become. */
export const slowdownLimit = 3;

/** Runs `pismak up` with its default settings, an honest user, and attackers beside it. */
export async function withstand(siege: Siege): Promise<SiegeFigures> {
  const neighbours = new Neighbours();
  const mailServers = await openMailServers(siege.directory, await neighbours.open());
  const command = [...endsWithUs, ...commands.up, '--config', mailServers.configuration];
  const up = new RunningPismak(join(siege.directory, 'data'), {}, command);
  await up.start();
  try {
    return await besiege(siege, up, mailServers, neighbours);
  } finally {
    await up.kill();
    await mailServers.close();
    neighbours.close();
  }
}

async function besiege(
  siege: Siege,
  up: RunningPismak,
  mailServers: MailServers,
  neighbours: Neighbours,
): Promise<SiegeFigures> {
  const startedAt = performance.now();
  const people = await signUp(up);
  await mailServers.createTypes(up);
  const honest = new HonestUser(up.url, people.honest, mailServers.arrival, siege.pace);
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
  await longestPiece(up.url, people.watcher);
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
    mailers: people.mailers,
    foreign: before.ids,
    secrets: before.secrets,
    own: ['demo', 'demo.out', 'transcription', 'honest', 'mallory1', 'local', 'admin', '0'.repeat(64)],
  };
  const working = honest.work(over.signal);
  const crawling = siege.web ? neighbours.crawl(up.url, people.weaver, siege.onProgress) : undefined;
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
  const ratio = (which: 'calls' | 'mails' | 'requests') =>
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
      mailsRatio: ratio('mails'),
      failures: honest.failures.slice(0, 20),
    },
    longestPiece: await longestPiece(up.url, people.watcher),
    busy: await busyAlerts(up),
    hostileRelayConnections: neighbours.relayConnections,
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
  if (figures.hostileRelayConnections === 0) faults.push('no mail went to the hostile mail server');
  if (figures.restarts > 0) faults.push('the process died');
  if (!figures.kept) faults.push('things of the honest user are gone or changed');
  if (attack.files.unfinished > 0) faults.push(`${attack.files.unfinished} files were never finished`);
  for (const failure of honest.failures) faults.push(`the honest user was refused: ${failure}`);
  if (memoryMb.mainMost > memoryLimitMb.main) faults.push(`the main process took ${memoryMb.mainMost} MB`);
  if (memoryMb.allMost > memoryLimitMb.all) faults.push(`all processes together took ${memoryMb.allMost} MB`);
  if (!options.times) return faults;
  const { operation, ms } = figures.longestPiece;
  if (ms > pieceLimitMs) faults.push(`${operation} kept the main thread for ${ms} ms at once`);
  if (honest.mailsRatio > slowdownLimit)
    faults.push(`the honest user's mails became ${honest.mailsRatio}x slower`);
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
  const mailers = [await someone('mailer1', 'user'), await someone('mailer2', 'user')];
  const watcher = await someone('watcher', 'admin');
  const weaver = await someone('weaver', 'admin');
  return { honest, attackers: [...users, ...readers, ...strangers], senders, mailers, watcher, weaver };
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

/** The longest piece since the last call. */
async function longestPiece(url: string, watcher: Visitor): Promise<SiegeFigures['longestPiece']> {
  const { status, text } = await send(url, watcher, { method: 'GET', path: '/metrics' });
  const [, operation = '', seconds] =
    /^pismak_longest_piece_seconds\{operation="([^"]*)"\} (\S+)$/m.exec(text) ?? [];
  if (seconds === undefined) throw new Error(`the longest piece cannot be read: ${status}`);
  return { operation, ms: Math.round(Number(seconds) * 1000) };
}

async function busyAlerts(up: RunningPismak): Promise<string[]> {
  const client = up.client();
  try {
    const { alerts } = await client.call(alertList, { all: true });
    return alerts.filter(({ kind }) => kind === 'process.busy').map(({ reason }) => reason);
  } finally {
    await client.close();
  }
}

async function alive(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')) !== '';
}
