import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const programs = '/usr/lib/postgresql';
/** The server's user may not read our home directory, and our own settings (PGHOST) must not reach it. */
export const postgresSurroundings = { cwd: '/', env: { PATH: process.env.PATH, HOME: '/', LC_ALL: 'C' } };

/** The user that servers run as, because PostgreSQL refuses root. Undefined = the current user. */
export async function postgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find((entry) => /^postgres:/.test(entry));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (!uid || !gid) throw new Error('There is no user postgres: install the Debian package postgresql');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Runs a program and returns what it printed. Pass passwords in `env`: other users can see arguments. */
export async function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const surroundings = { ...postgresSurroundings, env: { ...postgresSurroundings.env, ...env } };
    return (await execute(program, args, surroundings)).stdout.trim();
  } catch (error) {
    // Arguments may contain passwords: show only what the program printed.
    const { stderr = '', code } = error as { stderr?: string; code?: unknown };
    throw new Error(`${program} failed (${String(code)}): ${stderr.slice(-1000)}`);
  }
}

/** Runs one of the server's own programs, which are outside the PATH, as the server's user. */
export async function runPostgres(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const [command = '', ...rest] = await postgresProgram(program);
  return run(command, [...rest, ...args], env);
}

/** The words that run a program of the newest installed version as the server's user; `more` goes to setpriv. */
export async function postgresProgram(program: string, more: readonly string[] = []): Promise<string[]> {
  const [newest] = (await readdir(programs)).sort((a, b) => Number(b) - Number(a));
  return [...(await asPostgresUser(more)), join(programs, newest ?? '', 'bin', program)];
}

/** The words to put before a command so that the server's user runs it. */
export async function asPostgresUser(more: readonly string[] = []): Promise<string[]> {
  const user = await postgresUser();
  const as = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  return ['setpriv', ...as, ...more];
}
