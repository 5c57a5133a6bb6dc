import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isLiving } from '../../files/living-process.ts';
import { newFile } from '../../request/request.ts';
import { eventually } from '../../testing/eventually.ts';
import { temporaryDirectory } from '../../testing/temporary-directory.ts';
import { openJobFiles } from '../job-files.ts';
import { isPermanent, type Job } from '../processor.ts';
import { runProcessor } from '../run-processor.ts';
import command from './command.ts';
import { parseCommandConfig } from './command-config.ts';
import { findIsolation } from './isolation.ts';

test('a program reads in/, its configuration and the files of the stage, and its files in out/ are kept', async (t) => {
  const directory = await temporaryDirectory(t);
  await writeFile(join(directory, 'model'), 'heavy');
  const { files, log } = await runProcessor(command, {
    config: `COMMAND = tr a-z A-Z <in/page.txt >out/page.txt; mkdir out/more; cat config stage/cs.model >out/more/note
---
setting: 1
`,
    files: { 'page.txt': 'text', other: 'stays' },
    stageFiles: { 'cs.model': join(directory, 'model') },
  });
  assert.deepEqual(files, { 'page.txt': 'TEXT', other: 'stays', 'more/note': 'setting: 1\nheavy' });
  assert.match(log.join('\n'), /the program wrote more\/note, page\.txt/);
});

test('a Python program gets no secrets in its environment', async (t) => {
  process.env.PISMAK_TEST_SECRET = 'hush';
  t.after(() => delete process.env.PISMAK_TEST_SECRET);
  const program = 'import os,json; json.dump(dict(os.environ), open("out/env.json","w"))';
  const { files } = await runProcessor(command, { config: `COMMAND = python3 -c '${program}'` });
  const environment = JSON.parse(files['env.json'] ?? '');
  assert.equal(environment.PISMAK_TEST_SECRET, undefined);
  assert.equal(environment.PISMAK_REQUEST, 'test');
  assert.equal(environment.PISMAK_STAGE, 'test');
});

test('its output is in the log, and a failure names the exit code and the last lines', async () => {
  const { log } = await runProcessor(command, { config: 'COMMAND = echo one; echo two >&2' });
  assert.ok(log.includes('one') && log.includes('two'), log.join('\n'));
  const failure = runProcessor(command, { config: 'COMMAND = echo no model >&2; exit 3' });
  await assert.rejects(failure, (error) => {
    assert.match(String(error), /exit code 3\nno model/);
    return !isPermanent(error);
  });
});

test('exit code 65 means that the page itself is bad: it is not retried', async () => {
  await assert.rejects(runProcessor(command, { config: 'COMMAND = exit 65' }), isPermanent);
});

test('endless output does not fill the log', async () => {
  const { log } = await runProcessor(command, { config: 'COMMAND = yes | head -n 20000' });
  assert.ok(log.length < 600, String(log.length));
  assert.match(log.join('\n'), /the rest is left out/);
});

test('links in out/ are not followed, pipes are not opened', async () => {
  const { files, log } = await runProcessor(command, {
    config: 'COMMAND = ln -s /etc/passwd out/passwd; ln -s /etc out/etc; mkfifo out/pipe; echo ok >out/good',
  });
  assert.deepEqual(files, { good: 'ok\n' });
  for (const name of ['passwd', 'etc', 'pipe'])
    assert.ok(log.includes(`left out: out/${name} is not a plain file`));
});

test('files with hostile names reach the program in its directory and nowhere else, and come back under their names', async () => {
  const { files } = await runProcessor(command, {
    config: 'COMMAND = cat in/tmp/evil_ >out/seen; mkdir out/tmp; echo new >out/tmp/evil_',
    files: { '../../tmp/evil\n': 'inside' },
  });
  assert.deepEqual(files, { '../../tmp/evil\n': 'new\n', seen: 'inside' });
});

test('too many files and too much output are refused', async () => {
  const many = 'COMMAND = touch out/1 out/2 out/3\nOUTPUT_FILES = 2';
  await assert.rejects(runProcessor(command, { config: many }), /more than 2 files/);
  const much = 'COMMAND = truncate -s 2M out/big\nOUTPUT_MB = 1';
  await assert.rejects(runProcessor(command, { config: much }), /OUTPUT_MB/);
});

test('memory and the size of a file are limited', async () => {
  const greedy = "COMMAND = python3 -c 'x = bytearray(3_000_000_000)'\nMEMORY_MB = 1000";
  await assert.rejects(runProcessor(command, { config: greedy }), /MemoryError/);
  const large = 'COMMAND = head -c 3000000 /dev/zero >out/large\nFILE_MB = 1';
  await assert.rejects(runProcessor(command, { config: large }), /the program (failed|was ended)/);
});

test('the network is cut off, unless the configuration allows it', async (t) => {
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const program = `import socket; s=socket.create_connection(("127.0.0.1",${port}),20); open("out/answer","wb").write(s.recv(5))`;
  const { files } = await runProcessor(command, {
    config: `COMMAND = python3 -c '${program}'\nNETWORK = yes`,
  });
  assert.equal(files.answer, 'hello');
  await assert.rejects(
    runProcessor(command, { config: `COMMAND = python3 -c '${program}'\nNETWORK = never` }),
  );
});

test('stopping a program leaves neither its children nor its directory', async () => {
  const abort = new AbortController();
  const log: string[] = [];
  const job: Job = {
    uuid: 'test',
    stage: 'test',
    attempt: 1,
    files: openJobFiles({ get: () => assert.fail() }, [newFile('a', Buffer.from('a'))]),
    signal: abort.signal,
    log: (line) => log.push(line),
  };
  const config = 'COMMAND = sleep 1000 & echo "started in $PWD"; wait';
  const setup = {
    stage: 'test',
    version: 1,
    config,
    files: [],
    file: async () => '',
    random: () => 0,
    commands: ['*'],
  };
  const process_ = await command(setup);
  const running = process_(job);
  running.catch(() => {});
  const directory = await eventually('the program runs', () =>
    log.find((line) => line.startsWith('started in '))?.slice('started in '.length),
  );
  const pids = processesIn(directory);
  assert.ok(pids.length > 0);
  abort.abort();
  await assert.rejects(running);
  await eventually('all processes are gone', () => pids.every((pid) => !isLiving(pid)));
  assert.ok(!existsSync(directory));
});

test('background processes of a program end with it', async () => {
  const { prefix } = await findIsolation(parseCommandConfig('COMMAND = true'));
  // A daemon can be found only if we may create a process namespace.
  const daemon = prefix.includes('--pid') ? 'setsid sleep 1000 & ' : '';
  const config = `COMMAND = ${daemon}sleep 1000 & pwd >out/where`;
  const { files } = await runProcessor(command, { config });
  const directory = (files.where ?? '').trim();
  assert.ok(directory.startsWith(tmpdir()));
  await eventually('no process is left there', () => processesIn(directory).length === 0);
});

test('a program does not outlive our process when that is killed', async (t) => {
  const directory = await temporaryDirectory(t);
  const run = `import { runProgram } from ${JSON.stringify(new URL('./run-program.ts', import.meta.url).href)};
    await runProgram({ command: ['sh', '-c', 'sleep 1000 & echo on; wait'], directory: ${JSON.stringify(directory)},
      environment: {}, signal: new AbortController().signal, onLine: console.log });`;
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const ours = spawn(process.execPath, ['--input-type=module', '-e', run], { stdio: [...stdio] });
  t.after(() => ours.kill('SIGKILL'));
  await once(ours.stdout ?? assert.fail(), 'data');
  assert.ok(processesIn(directory).length >= 2);
  ours.kill('SIGKILL');
  await eventually('its processes are gone', () => processesIn(directory).length === 0);
});

/** Processes with this current directory, from Linux's /proc. */
function processesIn(directory: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const where = readlinkSync(`/proc/${name}/cwd`);
      return where.startsWith(directory) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
