import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, findConfinement } from '../sandbox/find-sandbox.ts';
import { type Entry, programFiles, topLevel, type View } from '../sandbox/view.ts';

/** What processor processes may see and use of this machine. */
export interface SandboxPlan {
  /** Databases, keys, logs, blobs and copies of the files of stages. */
  hidden: readonly string[];
  /** Files that appear empty inside: settings with the passwords of servers. */
  emptied: readonly string[];
  /** Directories inside `hidden` or /tmp: those of modules and allowed programs. */
  readable: readonly string[];
  /** Node's cache of compiled code, which they may write: a separate one, so that no processor can change what Pismak itself runs. */
  compileCache: string;
}

/** How to start confined processes. */
export interface Sandbox {
  /** Put before a program and its parameters. `directory` becomes its /tmp; the files in `inputs` are all that it sees of blobs. */
  prefix(options: { network: boolean; directory: string; inputs: string }): string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Processes get a separate view of the file system, and don't see other processes. Code that parses hostile files runs in it, so that
 * a hole in a decoder opens neither databases nor keys. Without it, the processes are separate, but see everything that Pismak's user
 * sees.
 */
export async function findSandbox(plan: SandboxPlan): Promise<Sandbox | { fault: string }> {
  mkdirSync(plan.compileCache, { recursive: true, mode: 0o700 });
  const trial = viewOf(plan, { network: false });
  const { confine, fault = '' } = await findConfinement(trial, environment(plan.compileCache));
  if (!confine) return { fault };
  return {
    prefix: (options) => confine(viewOf(plan, options)),
    environment: { NODE_COMPILE_CACHE: plan.compileCache, TMPDIR: '/tmp' },
  };
}

const devices = ['/dev/dri', '/dev/kfd', '/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm'];

function viewOf(
  plan: SandboxPlan,
  { network, directory, inputs }: { network: boolean; directory?: string; inputs?: string },
): View {
  // /run and /tmp hold the sockets of the machine's services and other programs. Names of hosts may need /run.
  const hidden = ['dev', 'proc', 'tmp', ...(network ? [] : ['run'])];
  const entries: Entry[] = [
    ...topLevel((name) => !hidden.includes(name)),
    directory === undefined ? { empty: '/tmp' } : { write: directory, at: '/tmp' },
    ...plan.hidden.map((empty) => ({ empty })),
    ...programFiles()
      .filter((path) => ['/tmp', ...plan.hidden].some((folder) => isInside(path, folder)))
      .map((read) => ({ read })),
    ...plan.readable.map((read) => ({ read })),
    { write: plan.compileCache, at: plan.compileCache },
    ...(inputs === undefined ? [] : [{ read: inputs }]),
    ...plan.emptied.filter((path) => existsSync(path)).map((blank) => ({ blank })),
    ...devices.filter((path) => existsSync(path)).map((device) => ({ device })),
  ];
  return { entries, network, nests: true };
}

/** What an installation's processors may see: nothing of its data but the bytes that they are given. */
export function sandboxPlan(parts: {
  data: string;
  blobsUrl: string;
  cacheDirectory: string;
  backups?: string | undefined;
  configurationFile?: string | undefined;
  modules: readonly URL[];
  /** Programs that stages may run, as in `command.allow`. */
  commands?: readonly string[];
}): SandboxPlan {
  const data = resolve(parts.data);
  const cache = resolve(parts.cacheDirectory);
  const blobs = parts.blobsUrl.startsWith('directory:')
    ? [resolve(parts.blobsUrl.slice('directory:'.length))]
    : [];
  const backups = parts.backups === undefined ? [] : [resolve(parts.backups)];
  // Other processes have their own /tmp among the temporary files of this one.
  const temporary = tmpdir() === '/tmp' ? [] : [resolve(tmpdir())];
  const secret = [data, ...blobs, cache, ...backups, ...temporary];
  const programs = (parts.commands ?? []).map((allowed) => `${allowed.split('*', 1)[0]}`);
  const folders = [...parts.modules.map((module) => fileURLToPath(module)), ...programs].map((path) =>
    dirname(path.endsWith('/') ? `${path}x` : path),
  );
  const isHidden = (folder: string) => ['/tmp', ...secret].some((each) => isInside(folder, each));
  return {
    hidden: [...new Set(secret)].filter(
      (path) => existsSync(path) && !secret.some((each) => isInside(path, each)),
    ),
    emptied: parts.configurationFile === undefined ? [] : [resolve(parts.configurationFile)],
    readable: [...new Set(folders.filter(isHidden))].filter((folder) => existsSync(folder)),
    compileCache: join(cache, 'compiled'),
  };
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
