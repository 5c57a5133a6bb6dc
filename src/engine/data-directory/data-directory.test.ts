import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isLiving } from '../files/living-process.ts';
import { hasCode } from '../ground/errors.ts';
import { startProgram } from '../testing/child-program.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { openDataDirectory, readHolder } from './data-directory.ts';

const purpose = 'tests';
const inUse = (error: unknown) => hasCode(error, 'data-directory-in-use');
const permissions = async (path: string) => (await stat(path)).mode & 0o777;

test('a new data directory is created with its folders, readable by its owner only', async (context) => {
  const path = join(await temporaryDirectory(context), 'deep', 'data');
  const data = await openDataDirectory(path, { purpose });
  for (const folder of [data.path, data.blobs, data.logs, data.cache])
    assert.equal(await permissions(folder), 0o700);
  assert.equal(data.databaseFile, join(path, 'pismak.db'));
  assert.equal(data.queuesFile, join(path, 'queues.db'));
  assert.equal(await permissions(join(path, 'holder.json')), 0o600);
  await data.close();
});

test('the holder is known while it is open, and gone after closing', async (context) => {
  const path = await temporaryDirectory(context);
  const before = Date.now();
  const data = await openDataDirectory(path, { purpose });
  const { startedAt, ...holder } = (await readHolder(path)) ?? { startedAt: 0 };
  assert.partialDeepStrictEqual(holder, { pid: process.pid, purpose: 'tests' });
  assert.ok(startedAt >= before && startedAt <= Date.now());
  await data.publishHolder({ url: 'http://localhost:1', token: 'secret' });
  assert.partialDeepStrictEqual(await readHolder(path), { url: 'http://localhost:1', token: 'secret' });
  assert.equal(await permissions(join(path, 'holder.json')), 0o600);
  await data.close();
  await data.close();
  assert.equal(await readHolder(path), undefined);
});

test('a second open is refused; the error names the holder, but not its token', async (context) => {
  const path = await temporaryDirectory(context);
  const program = startProgram(context, 'hold-directory', [path]);
  assert.equal(await program.line(), 'held');
  await assert.rejects(openDataDirectory(path, { purpose }), (error) => {
    assert.ok(inUse(error));
    for (const part of [path, `process ${program.pid} `, 'a test', 'http://127.0.0.1:7475', ' since 20']) {
      assert.ok(error.message.includes(part), `"${error.message}" lacks ${part}`);
    }
    assert.doesNotMatch(error.message + JSON.stringify(error.details), /local-secret/);
    return true;
  });
  assert.partialDeepStrictEqual(await readHolder(path), { pid: program.pid, token: 'local-secret' });
});

test('the directory has one holder even within one process, and looking does not release it', async (context) => {
  const path = await temporaryDirectory(context);
  const data = await openDataDirectory(path, { purpose });
  await assert.rejects(openDataDirectory(path, { purpose }), inUse);
  assert.equal((await readHolder(path))?.pid, process.pid);
  const other = startProgram(context, 'hold-directory', [path]);
  assert.match(await other.line(), new RegExp(`in use by process ${process.pid}`));
  await data.close();
  const again = await openDataDirectory(path, { purpose });
  await again.close();
});

test('kill -9 of the holder frees the directory at once, and its file no longer counts', async (context) => {
  const path = await temporaryDirectory(context);
  for (let round = 0; round < 3; round++) {
    const program = startProgram(context, 'hold-directory', [path]);
    assert.equal(await program.line(), 'held');
    await program.kill();
    assert.match(await readFile(join(path, 'holder.json'), 'utf8'), new RegExp(`"pid":${program.pid}`));
    assert.equal(await readHolder(path), undefined);
  }
  const data = await openDataDirectory(path, { purpose });
  assert.equal((await readHolder(path))?.pid, process.pid);
  await data.close();
});

test('the children of a killed holder do not keep the directory', async (context) => {
  const path = await temporaryDirectory(context);
  const program = startProgram(context, 'hold-directory', [path, 'with-child']);
  const child = Number(await program.line());
  context.after(() => process.kill(child, 'SIGKILL'));
  assert.equal(await program.line(), 'held');
  await program.kill();
  process.kill(child, 0);
  const data = await openDataDirectory(path, { purpose });
  await data.close();
});

test('of many concurrent starts exactly one gets the directory', async (context) => {
  const path = await temporaryDirectory(context);
  const programs = Array.from({ length: 4 }, () => startProgram(context, 'hold-directory', [path]));
  const answers = await Promise.all(programs.map((program) => program.line()));
  assert.equal(answers.filter((answer) => answer === 'held').length, 1, answers.join('\n'));
});

test('looking never makes a starting holder fail', async (context) => {
  const path = await temporaryDirectory(context);
  const lookers = [1, 2].map(() => startProgram(context, 'look-for-holder', [path]));
  for (const looker of lookers) await looker.line();
  for (let round = 0; round < 100; round++) await (await openDataDirectory(path, { purpose })).close();
  for (const looker of lookers) assert.ok(isLiving(looker.pid), 'it has looked all the time');
});

test('an unused directory has no holder, and looking creates nothing', async (context) => {
  const path = join(await temporaryDirectory(context), 'none');
  assert.equal(await readHolder(path), undefined);
  await assert.rejects(stat(path));
});

test('a directory whose holder wrote nonsense is still in use', async (context) => {
  const path = await temporaryDirectory(context);
  const data = await openDataDirectory(path, { purpose });
  await writeFile(join(path, 'holder.json'), '{"pid":');
  assert.equal(await readHolder(path), undefined);
  await assert.rejects(openDataDirectory(path, { purpose }), inUse);
  await data.close();
});

test('a path that cannot be a directory is refused with a reason', async (context) => {
  const path = join(await temporaryDirectory(context), 'file');
  await writeFile(path, '');
  const refused = (error: unknown) => hasCode(error, 'configuration-invalid') && error.message.includes(path);
  await assert.rejects(openDataDirectory(path, { purpose }), refused);
  await assert.rejects(openDataDirectory(join(path, 'below'), { purpose }), refused);
  const data = await temporaryDirectory(context);
  await writeFile(join(data, 'blobs'), '');
  await assert.rejects(
    openDataDirectory(data, { purpose }),
    /cannot be used: .*\/blobs: something of that name exists already\. Choose another/,
  );
});

test('a data directory that other users could enter is closed to them, with everything in it', async (context) => {
  const path = join(await temporaryDirectory(context), 'wide');
  await mkdir(path);
  for (const name of ['lock', 'pismak.db', 'queues.db', 'queues.db-wal']) {
    await writeFile(join(path, name), '');
    await chmod(join(path, name), 0o644);
  }
  await chmod(path, 0o755);
  const data = await openDataDirectory(path, { purpose });
  assert.equal(await permissions(path), 0o700);
  for (const name of ['lock', 'pismak.db', 'queues.db', 'queues.db-wal'])
    assert.equal(await permissions(join(path, name)), 0o600, name);
  await data.close();
});

test('a directory that others can enter and that has other things in it is refused and stays as it is', async (context) => {
  const path = join(await temporaryDirectory(context), 'home');
  await mkdir(path);
  await writeFile(join(path, 'letter.txt'), '');
  await chmod(path, 0o755);
  await assert.rejects(openDataDirectory(path, { purpose }), /letter\.txt.*for Pismak alone/);
  assert.equal(await permissions(path), 0o755);
  const data = await openDataDirectory(join(path, 'pismak'), { purpose });
  await data.close();
});

test('a directory where everybody may write is refused and stays as it is', async (context) => {
  const path = join(await temporaryDirectory(context), 'tmp');
  await mkdir(path);
  await chmod(path, 0o1777);
  await assert.rejects(openDataDirectory(path, { purpose }), /everybody may write there/);
  assert.equal((await stat(path)).mode & 0o7777, 0o1777);
});

test('another user can neither see the directory nor hold its lock', async (context) => {
  assert.equal(process.getuid?.(), 0, 'this test needs root, to act as another user');
  const path = join(await temporaryDirectory(context), 'data');
  await mkdir(path);
  await chmod(dirname(path), 0o755);
  await chmod(path, 0o755);
  await (await openDataDirectory(path, { purpose })).close();
  const lockIt = `import fcntl; fcntl.lockf(open("${join(path, 'lock')}"), fcntl.LOCK_SH)`;
  const nobody = { uid: 65534, gid: 65534 };
  const tried = spawnSync('python3', ['-c', lockIt], { ...nobody, encoding: 'utf8' });
  assert.match(tried.stderr, /PermissionError/);
  process.seteuid?.(nobody.uid);
  try {
    await assert.rejects(
      readHolder(path),
      /cannot be used: permission is denied; it may belong to another user/,
    );
  } finally {
    process.seteuid?.(0);
  }
});

test('a lock file that is a link is refused, and its target is not touched', async (context) => {
  const directory = await temporaryDirectory(context);
  const path = join(directory, 'data');
  await mkdir(path, { mode: 0o700 });
  await symlink(join(directory, 'target'), join(path, 'lock'));
  await assert.rejects(openDataDirectory(path, { purpose }), /lock is a link/);
  await assert.rejects(stat(join(directory, 'target')));
});
