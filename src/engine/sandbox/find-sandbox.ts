import { execFile, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bubblewrap } from './bubblewrap.ts';
import { namespaces } from './namespaces.ts';
import { otherUser, permissions } from './other-user.ts';
import { decoderView, type View } from './view.ts';

/**
 * What holds code that decodes foreign files, the strongest first:
 *
 * - `bubblewrap`, `namespaces`: it sees libraries, this program and an empty /tmp, no other process and no network;
 * - `other user`: it can't read what only Pismak's user may read, and Node lets its JavaScript read only this program;
 * - `permissions`: only the latter.
 */
export type Hold = 'bubblewrap' | 'namespaces' | 'other user' | 'permissions';

export interface DecoderSandbox {
  hold: Hold;
  /** Why it is not stronger. */
  fault: string | undefined;
  /** How to start a process in it, with an environment that holds nothing of ours. */
  forkOptions(): Pick<ForkOptions, 'cwd' | 'env' | 'execArgv' | 'execPath' | 'uid' | 'gid'>;
}

const tried = promisify(execFile);

/** Ways to start a program in a view, as a prefix. */
export type Confine = (view: View) => string[];

const ways: readonly { hold: 'bubblewrap' | 'namespaces'; confine: Confine }[] = [
  { hold: 'bubblewrap', confine: (view) => bubblewrap(view, 'new') },
  { hold: 'bubblewrap', confine: (view) => bubblewrap(view, 'shared') },
  { hold: 'namespaces', confine: (view) => namespaces(view, 'new user', 'new') },
  { hold: 'namespaces', confine: (view) => namespaces(view, 'new user', 'shared') },
  ...(process.getuid?.() === 0
    ? [{ hold: 'namespaces' as const, confine: (view: View) => namespaces(view, 'root', 'new') }]
    : []),
];

/** The first way in which this machine can run this program in the view, or why there is none. */
export async function findConfinement(
  view: View,
  environment: NodeJS.ProcessEnv,
): Promise<{ confine: Confine | undefined; hold: 'bubblewrap' | 'namespaces'; fault: string | undefined }> {
  let fault: string | undefined;
  for (const { hold, confine } of ways) {
    const found = await whyNot([...confine(view), process.execPath], { env: environment });
    if (found === undefined) return { confine, hold, fault };
    fault ??= found.isMissing
      ? 'bubblewrap is not installed: apt-get install bubblewrap'
      : `this system does not allow it (${found.said}): in a container, allow user namespaces (Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined); else sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0`;
  }
  return { confine: undefined, hold: 'namespaces', fault };
}

let found: Promise<DecoderSandbox> | undefined;

/** The sandbox of this machine for code that decodes foreign files; looked for once. */
export function decoderSandbox(): Promise<DecoderSandbox> {
  found ??= findDecoderSandbox();
  return found;
}

/** What a hostile file may still do to a decoder's surroundings; undefined if nothing. */
export function weakness({ hold }: Pick<DecoderSandbox, 'hold'>): string | undefined {
  if (hold === 'other user')
    return 'a hole in a native library opens what all users of this machine can read, and the network';
  if (hold === 'permissions') return 'a hole in a native library opens everything that this user sees';
  return undefined;
}

async function findDecoderSandbox(): Promise<DecoderSandbox> {
  const compileCache = process.env.NODE_COMPILE_CACHE;
  const env = environment(compileCache);
  const view = decoderView(compileCache);
  const { confine, hold, fault } = await findConfinement(view, env);
  if (confine) {
    const [execPath = '', ...prefix] = confine(view);
    const options = { execPath, execArgv: [...prefix, process.execPath], env, cwd: '/' };
    return { hold, fault: hold === 'bubblewrap' ? undefined : fault, forkOptions: () => options };
  }
  const execArgv = permissions();
  const isRoot = process.getuid?.() === 0;
  const asOther =
    isRoot && !(await whyNot([process.execPath, ...execArgv], { env, cwd: '/', ...otherUser() }));
  return {
    hold: asOther ? 'other user' : 'permissions',
    fault,
    forkOptions: () => ({
      execPath: process.execPath,
      execArgv,
      env,
      cwd: '/',
      ...(asOther && otherUser()),
    }),
  };
}

/** Nothing of ours but the time zone, on which dates in documents depend. Libraries fail without a home. */
export function environment(compileCache: string | undefined): NodeJS.ProcessEnv {
  const known = {
    PATH: process.env.PATH,
    HOME: '/tmp',
    TZ: process.env.TZ,
    NODE_COMPILE_CACHE: compileCache,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

/** Undefined if the program could be started. */
async function whyNot(
  [program = '', ...parameters]: string[],
  options: { env: NodeJS.ProcessEnv; cwd?: string; uid?: number; gid?: number },
): Promise<{ said: string; isMissing: boolean } | undefined> {
  const trial = fileURLToPath(new URL('./trial.ts', import.meta.url));
  try {
    const { stdout } = await tried(program, [...parameters, trial], { timeout: 10_000, ...options });
    return stdout === 'runs\n' ? undefined : { said: 'it runs, but says nothing', isMissing: false };
  } catch (error) {
    const { code, message, stderr = '' } = error as Error & { code?: unknown; stderr?: string };
    const isMissing = code === 'ENOENT';
    return {
      said: stderr.trim().split('\n').at(-1) || (isMissing ? `${program} is missing` : message),
      isMissing,
    };
  }
}
