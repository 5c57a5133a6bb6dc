import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, findConfinement } from '../sandbox/find-sandbox.ts';
import { type Entry, programFiles, topLevel, type View } from '../sandbox/view.ts';

/** What processor processes may see and use of this machine. */
export interface SandboxPlan {
  /** Hidden, except for the directories in `writable`: databases, keys and logs. */
  hidden: readonly string[];
  /** Files that appear empty inside: settings with the passwords of servers. */
  emptied: readonly string[];
  /** Everything else is read-only. */
  writable: readonly string[];
  /** Directories inside `hidden` or /tmp: those of modules and allowed programs. */
  readable: readonly string[];
  /** Node's cache of compiled code: a separate one, so that no processor can change what Pismak itself runs. */
  compileCache: string;
}

/** How to start confined processes. */
export interface Sandbox {
  /** Put before a program and its parameters. `directory` becomes its /tmp. */
  prefix(options: { network: boolean; directory: string }): string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Processes get a separate view of the file system, and don't see other processes. Code that parses hostile files runs in it, so that
 * a hole in a decoder opens neither databases nor keys. Without it, the processes are separate, but see everything that Pismak's user
 * sees.
 */
export async function findSandbox(plan: SandboxPlan): Promise<Sandbox | { fault: string }> {
  for (const directory of [...plan.writable, plan.compileCache])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  const trial = viewOf(plan, { network: false, directory: undefined });
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
  { network, directory }: { network: boolean; directory: string | undefined },
): View {
  // /run and /tmp hold the sockets of the machine's services and other programs. Names of hosts may need /run.
  const hidden = ['dev', 'proc', 'tmp', ...(network ? [] : ['run'])];
  const entries: Entry[] = [
    ...topLevel((name) => !hidden.includes(name)),
    directory === undefined ? { empty: '/tmp' } : { write: directory, at: '/tmp' },
    ...plan.hidden.map((empty) => ({ empty })),
    ...programFiles()
      .filter((path) => path.startsWith('/tmp/'))
      .map((read) => ({ read })),
    ...plan.readable.map((read) => ({ read })),
    ...[...plan.writable, plan.compileCache].map((path) => ({ write: path, at: path })),
    ...plan.emptied.filter((path) => existsSync(path)).map((blank) => ({ blank })),
    ...devices.filter((path) => existsSync(path)).map((device) => ({ device })),
  ];
  return { entries, network, nests: true };
}

/** What an installation's processors need: blobs, and copies of the files of stages. */
export function sandboxPlan(parts: {
  data: string;
  blobsUrl: string;
  cacheDirectory: string;
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
  const programs = (parts.commands ?? []).map((allowed) => `${allowed.split('*', 1)[0]}`);
  const folders = [...parts.modules.map((module) => fileURLToPath(module)), ...programs].map((path) =>
    dirname(path.endsWith('/') ? `${path}x` : path),
  );
  const isHidden = (folder: string) => folder.startsWith(`${data}/`) || folder.startsWith('/tmp/');
  return {
    hidden: existsSync(data) ? [data] : [],
    emptied: parts.configurationFile === undefined ? [] : [resolve(parts.configurationFile)],
    writable: [...blobs, cache],
    readable: [...new Set(folders.filter(isHidden))].filter((folder) => existsSync(folder)),
    compileCache: join(cache, 'compiled'),
  };
}
