import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What processor processes may see and use of this machine. */
export interface SandboxPlan {
  /** Hidden, except for the directories in `writable`: databases, keys and logs. */
  hidden: readonly string[];
  /** Files that appear empty inside: settings with the passwords of servers. */
  emptied: readonly string[];
  /** Everything else is read-only. */
  writable: readonly string[];
  /** Directories of modules inside `hidden`. */
  readable: readonly string[];
  /** Node's cache of compiled code: a separate one, so that no processor can change what Pismak itself runs. */
  compileCache: string;
}

/** How to start confined processes. */
export interface Sandbox {
  /** Put before a program and its parameters. */
  prefix(options: { network: boolean; directory: string }): string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Bubblewrap: processes get a separate view of the file system, and don't see other processes. Code that parses hostile files runs
 * in it, so that a hole in a decoder opens neither databases nor keys. Without it, the processes are separate, but see
 * everything that Pismak's user sees.
 */
export function findSandbox(plan: SandboxPlan): Sandbox | { fault: string } {
  for (const directory of [...plan.writable, plan.compileCache])
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  let failed: SpawnSyncReturns<string> | undefined;
  // Where parts of /proc are hidden, as by systemd, a new one can't be mounted. The old one shows that other processes exist,
  // but the kernel lets nobody in a user namespace look into them.
  for (const proc of ['new', 'shared'] as const) {
    const sandbox: Sandbox = {
      prefix: (options) => ['bwrap', ...parametersOf(plan, { ...options, proc }), '--'],
      environment: { NODE_COMPILE_CACHE: plan.compileCache },
    };
    const [program = '', ...parameters] = sandbox.prefix({ network: false, directory: tmpdir() });
    failed = spawnSync(program, [...parameters, process.execPath, '--version'], {
      encoding: 'utf8',
      timeout: 10_000,
    });
    if (!failed.error && failed.status === 0) return sandbox;
  }
  const { error, status, stderr } = failed ?? { status: null, stderr: '' };
  if (error && 'code' in error && error.code === 'ENOENT')
    return { fault: 'bubblewrap is not installed: apt-get install bubblewrap' };
  const said = error?.message ?? (stderr.trim().split('\n').at(-1) || `it ends with ${status}`);
  return {
    fault: `this system does not allow it (${said}): in a container, allow user namespaces (Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined); else sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0`,
  };
}

function parametersOf(
  plan: SandboxPlan,
  { network, directory, proc }: { network: boolean; directory: string; proc: 'new' | 'shared' },
): string[] {
  const bind = (how: string, paths: readonly string[]) => paths.flatMap((path) => [how, path, path]);
  const devices = ['/dev/dri', '/dev/kfd', '/dev/nvidia0', '/dev/nvidiactl', '/dev/nvidia-uvm'];
  return [
    '--die-with-parent',
    '--unshare-user',
    '--unshare-pid',
    '--unshare-ipc',
    // A capability would let it remove the mounts that hide the data. This one only lets root's programs be confined again.
    '--cap-drop',
    'ALL',
    ...(process.getuid?.() === 0 ? ['--cap-add', 'CAP_SETFCAP'] : []),
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    ...(proc === 'new' ? ['--proc', '/proc'] : ['--ro-bind', '/proc', '/proc']),
    '--bind',
    '/tmp',
    '/tmp',
    ...bind('--dev-bind', devices.filter(existsSync)),
    // The sockets of the machine's services.
    ...(network ? [] : ['--unshare-net', '--tmpfs', '/run']),
    ...plan.hidden.flatMap((path) => ['--tmpfs', path]),
    ...bind('--bind', [...plan.writable, plan.compileCache]),
    ...bind('--ro-bind', plan.readable),
    ...plan.emptied.filter(existsSync).flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...bind('--bind', [directory]),
    '--setenv',
    'TMPDIR',
    directory,
  ];
}

/** What an installation's processors need: blobs, and copies of the files of stages. */
export function sandboxPlan(parts: {
  data: string;
  blobsUrl: string;
  cacheDirectory: string;
  configurationFile?: string | undefined;
  modules: readonly URL[];
}): SandboxPlan {
  const data = resolve(parts.data);
  const cache = resolve(parts.cacheDirectory);
  const blobs = parts.blobsUrl.startsWith('directory:')
    ? [resolve(parts.blobsUrl.slice('directory:'.length))]
    : [];
  const folders = parts.modules.map((module) => dirname(fileURLToPath(module)));
  return {
    hidden: existsSync(data) ? [data] : [],
    emptied: parts.configurationFile === undefined ? [] : [resolve(parts.configurationFile)],
    writable: [...blobs, cache],
    readable: [...new Set(folders.filter((folder) => folder.startsWith(`${data}/`)))],
    compileCache: join(cache, 'compiled'),
  };
}
