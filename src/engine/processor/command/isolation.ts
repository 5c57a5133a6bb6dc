import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommandConfig } from './command-config.ts';

/** How to start a program with its limits, and which limits this system cannot enforce. */
export interface Isolation {
  /** Put before the program and its parameters. */
  prefix: string[];
  notes: string[];
}

const tried = promisify(execFile);

/** Tries out which limits this system can enforce. Throws if a required limit cannot be enforced. */
export async function findIsolation(config: CommandConfig): Promise<Isolation> {
  const notes: string[] = [];
  const prefix: string[] = [];
  const cutOff = config.NETWORK !== 'yes';

  // In a process namespace, nothing that the program starts can outlive it, not even a daemon.
  const asUser = ['--user', '--map-current-user'];
  const processes = ['--pid', '--fork', '--kill-child'];
  const net = cutOff ? ['--net'] : [];
  const unshare = await firstThatWorks([
    ...(process.getuid?.() === 0 ? [['unshare', ...processes, '--mount-proc', ...net, '--']] : []),
    ['unshare', ...asUser, ...processes, '--mount-proc', ...net, '--'],
    // Inside the sandbox of processors, /proc can't be mounted again.
    ['unshare', ...asUser, ...processes, ...net, '--'],
    ...(cutOff ? [['unshare', ...asUser, '--net', '--']] : []),
  ]);
  if (unshare) prefix.push(...unshare);
  else if (config.NETWORK === 'never')
    throw new Error("the network can't be cut off on this system (unshare --net), and NETWORK = never");
  else if (cutOff) notes.push('the network could not be cut off: this system does not allow it');
  if (!unshare?.includes('--pid')) notes.push('processes that it leaves in their own session are not ended');

  const bytes = (megabytes: number) => String(megabytes * 1024 * 1024);
  const limits = [
    ...(config.MEMORY_MB > 0 ? [`--as=${bytes(config.MEMORY_MB)}`] : []),
    ...(config.FILE_MB > 0 ? [`--fsize=${bytes(config.FILE_MB)}`] : []),
    ...(config.PROCESSES > 0 ? [`--nproc=${config.PROCESSES}`] : []),
  ];
  const prlimit = await firstThatWorks([[...prefix, 'prlimit', '--core=0', ...limits, '--']]);
  if (prlimit) prefix.splice(0, prefix.length, ...prlimit);
  else if (limits.length > 0) notes.push('memory and file size are not limited: prlimit is missing');
  if (prlimit && config.PROCESSES > 0 && process.getuid?.() === 0)
    notes.push('the number of processes is not limited: root is exempt');
  return { prefix, notes };
}

async function firstThatWorks(candidates: string[][]): Promise<string[] | undefined> {
  for (const candidate of candidates) {
    const [program = '', ...parameters] = candidate;
    const worked = await tried(program, [...parameters, 'true']).then(
      () => true,
      () => false,
    );
    if (worked) return candidate;
  }
  return undefined;
}
