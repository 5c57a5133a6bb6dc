import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { readHolder } from '../../src/engine/data-directory/data-directory.ts';
import { workerDisable, workerEnable, workerList } from '../../src/engine/operation/operations/worker.ts';
import { eventually } from '../../src/engine/testing/eventually.ts';
import type { PostgresServer } from '../../src/engine/testing/servers/postgres.ts';
import type { Client } from '../../src/terminal/client/client.ts';
import { hashFile } from '../../src/terminal/client/upload-file.ts';
import { commands, endsWithUs, RunningPismak } from '../running-pismak.ts';
import { WorkerElsewhere } from '../scale/worker-elsewhere.ts';
import { CountingProxy } from './counting-proxy.ts';
import { type MemoryPeak, MemoryPeaks } from './memory-peaks.ts';

export interface StageFileFigures {
  /** Of the large file. */
  size: number;
  /** Bytes on the wire from the command until it was killed, from the same command again, and after the change of one byte. */
  sent: { untilKilled: number; resumed: number; changed: number };
  seconds: { created: number; changed: number; loaded: number[] };
  peaks: MemoryPeak[];
}

const program = join(import.meta.dirname, '..', '..', 'bin', 'pismak');
const module = join(import.meta.dirname, 'hash-model.ts');
const names = ['near', 'far'];
const patienceMs = 1_800_000;

/**
 * A stage gets a large file and one that never changes, through a command that is killed halfway and started again. Two workers with data
 * directories of their own load them. Then one byte of the large file changes. Fails unless every worker has exactly the bytes.
 */
export async function carryStageFile(options: {
  directory: string;
  postgres: Pick<PostgresServer, 'createDatabase'>;
  size: number;
  /** Whether the workers load the files before the change too. */
  loadsBefore: boolean;
  say: (line: string) => void;
}): Promise<StageFileFigures> {
  const { directory, postgres, size, loadsBefore, say } = options;
  await using closing = new AsyncDisposableStack();
  using memory = new MemoryPeaks();
  const url = await postgres.createDatabase();
  const own = `processors.hash-model=${module}`;
  const servers = { broker: url, coordination: url, database: url, blobs: url };
  const fast = { 'watchdog.periodMs': 200, 'watchdog.reconfigurationMs': 200 };
  const data = join(directory, 'up');
  const up = new RunningPismak(
    data,
    { ...servers, ...fast, 'worker.count': 0, 'processors.hash-model': module },
    [...endsWithUs, ...commands.up],
  );
  closing.defer(() => up.kill());
  await up.start();
  const proxy = closing.use(await CountingProxy.open(up.url));
  const key = (await readHolder(data))?.token ?? '';
  const client = up.client();
  closing.defer(() => client.close());
  for (const name of names) {
    const worker = new WorkerElsewhere(join(directory, name), url, name, endsWithUs, ['--set', own]);
    closing.defer(() => worker.end('SIGKILL'));
  }

  const files = [join(directory, 'model.bin'), join(directory, 'same.bin')] as const;
  await writeRandom(files[0], size);
  await writeRandom(files[1], Math.ceil(size / 4));
  const withFiles = files.flatMap((file) => ['--file', file]);
  const create = ['stage', 'create', 'model', '--processor', 'hash-model', ...withFiles];
  const pismak = (words: readonly string[]) => startCommand(words, { url: proxy.url, key, cwd: directory });

  const killed = pismak(create);
  await eventually(
    'half of it is sent',
    () => proxy.sent > size / 2 || killed.child.exitCode !== null,
    patienceMs,
  );
  killed.child.kill('SIGKILL');
  await killed.ended;
  const untilKilled = proxy.sent;
  say(`killed the command after ${megabytes(untilKilled)} MB`);
  const timed = async (words: readonly string[]) => {
    const [before, at] = [proxy.sent, performance.now()];
    const { code, said } = await pismak(words).ended;
    assert.equal(code, 0, `pismak ${words.join(' ')}: ${said}`);
    const [sent, seconds] = [proxy.sent - before, Math.round((performance.now() - at) / 1000)];
    say(`pismak ${words.slice(0, 3).join(' ')}: ${megabytes(sent)} MB sent in ${seconds} s`);
    return { sent, seconds };
  };
  const created = await timed(create);
  const loading = { files, directory, pismak, say };
  const loaded = loadsBefore ? await loadOnEach(client, loading) : [];

  await changeOneByte(files[0], Math.floor(size / 3));
  const changed = await timed(['stage', 'configure', 'model', ...withFiles]);
  loaded.push(...(await loadOnEach(client, loading)));
  return {
    size,
    sent: { untilKilled, resumed: created.sent, changed: changed.sent },
    seconds: { created: created.seconds, changed: changed.seconds, loaded },
    peaks: memory.peaks,
  };
}

/** Whether only what was missing has travelled: a part that had not arrived whole travels again, and each part has a head. */
export function sentOnlyWhatWasMissing({ size, sent }: StageFileFigures, part: number): boolean {
  const rest = Math.ceil(size / 4);
  const overhead = 1.02;
  const isResumed = sent.untilKilled + sent.resumed < (size + rest + 2 * part) * overhead;
  return (
    isResumed &&
    sent.resumed < (size / 2 + rest + 2 * part) * overhead &&
    sent.changed < size * overhead + part
  );
}

interface Loading {
  files: readonly string[];
  directory: string;
  pismak(words: readonly string[]): ReturnType<typeof startCommand>;
  say(line: string): void;
}

/** One worker after the other serves the stage alone and says what its files contain. Resolves to the seconds of each. */
async function loadOnEach(client: Client, { files, directory, pismak, say }: Loading): Promise<number[]> {
  const wanted: Record<string, string> = {};
  for (const file of files) wanted[basename(file)] = await hashFile(file);
  const seconds: number[] = [];
  const running = async () => (await client.call(workerList, {})).workers.filter(({ presence }) => presence);
  await eventually(
    'both workers are there',
    async () => (await running()).length === names.length,
    patienceMs,
  );
  for (const name of names) {
    for (const id of names) await client.call(id === name ? workerEnable : workerDisable, { id });
    await eventually(
      'the other worker serves nothing',
      async () => (await running()).every(({ id, presence }) => id === name || presence?.stage === null),
      patienceMs,
    );
    const at = performance.now();
    const question = join(directory, `question-${name}`);
    await writeFile(question, `${at}`);
    const out = join(directory, `answer-${at}`);
    const { code, said } = await pismak([
      'publish',
      question,
      '--stages',
      'model,hashed',
      '--wait',
      '-o',
      out,
    ]).ended;
    assert.equal(code, 0, said);
    const [uuid = ''] = (await readdir(out)).filter((each) => !each.startsWith('.'));
    assert.deepEqual(JSON.parse(await readFile(join(out, uuid, 'hashes.json'), 'utf8')), wanted, name);
    const served = async () =>
      (await running()).find(({ id }) => id === name)?.presence?.timings.model?.count;
    await eventually(`${name} says that it has served it`, served, patienceMs);
    seconds.push(Math.round((performance.now() - at) / 1000));
    say(`worker ${name} has loaded exactly these bytes, after ${seconds.at(-1)} s`);
  }
  return seconds;
}

function startCommand(words: readonly string[], options: { url: string; key: string; cwd: string }) {
  const [command = '', ...before] = [...endsWithUs, program];
  const child = spawn(command, [...before, ...words], {
    cwd: options.cwd,
    env: { ...process.env, PISMAK_URL: options.url, PISMAK_KEY: options.key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const ended = once(child, 'exit').then(async ([code]) => ({ code, said: (await said).join('') }));
  return { child, ended };
}

/** Bytes that no compression makes smaller. */
async function writeRandom(path: string, size: number): Promise<void> {
  await using file = await open(path, 'w');
  const block = 2 ** 20;
  for (let at = 0; at < size; at += block) await file.write(randomBytes(Math.min(block, size - at)));
}

async function changeOneByte(path: string, at: number): Promise<void> {
  await using file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}
