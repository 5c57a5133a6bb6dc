import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createCertificates } from '../../engine/testing/servers/certificates.ts';
import { freePort } from '../../engine/testing/servers/free-port.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';

const execute = promisify(execFile);

/** Debian's MariaDB in a directory of its own, with TLS; `sql` sets it up. It ends with the test. */
export async function startMariadb(t: TestContext, sql: string) {
  const directory = await temporaryDirectory(t);
  await chmod(directory, 0o755);
  const owner = await mysqlUser();
  const data = join(directory, 'data');
  await mkdir(data);
  if (owner) await chown(data, owner.uid, owner.gid);
  const certificates = await createCertificates(join(directory, 'tls'), owner);
  const as = owner ? ['--user=mysql'] : [];
  await execute('mariadb-install-db', [
    '--no-defaults',
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
    ...as,
  ]);
  const port = await freePort();
  const socket = join(data, 'socket');
  let child: ChildProcess | undefined;
  const start = async () => {
    const started = spawn(
      'mariadbd',
      [
        '--no-defaults',
        `--datadir=${data}`,
        `--socket=${socket}`,
        '--bind-address=127.0.0.1',
        `--port=${port}`,
        `--ssl-cert=${certificates.certificate}`,
        `--ssl-key=${certificates.key}`,
        '--skip-name-resolve',
        `--ssl-ca=${certificates.authority}`,
        '--innodb-buffer-pool-size=16M',
        '--innodb-flush-method=fsync',
        ...as,
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    child = started;
    let said = '';
    const ready = Promise.withResolvers<void>();
    started.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
      if (/ready for connections/.test(said)) ready.resolve();
    });
    started.once('exit', () => ready.reject(new Error(`mariadbd did not start: ${said}`)));
    await ready.promise;
  };
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const run = (statements: string) =>
    execute('mariadb', [
      '--no-defaults',
      `--socket=${socket}`,
      '--user=root',
      '--default-character-set=utf8mb4',
      '--execute',
      statements,
    ]);
  t.after(stop);
  await start();
  await run(sql);
  return { port, authority: certificates.authority, run, start, stop };
}

/** MariaDB refuses to run as root. */
async function mysqlUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => /^mysql:/.test(entry));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid) throw new Error('There is no user mysql: install the Debian package mariadb-server');
  return { uid: Number(uid), gid: Number(gid) };
}
