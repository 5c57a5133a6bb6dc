import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CommandConfig } from './command-config.ts';

/** How a program is started so that its limits hold, and which limits can't be enforced on this system. */
export interface Isolation {
  /** Goes before the program and its parameters. */
  prefix: string[];
  notes: string[];
}

const tried = promisify(execFile);

/** Tries what this system allows. Throws if a required limit can't be enforced. */
export async function findIsolation(config: CommandConfig): Promise<Isolation> {
  const notes: string[] = [];
  const prefix: string[] = [];
  const cutOff = config.NETWORK !== 'yes';

  // In a process namespace nothing that it starts can outlive it, not even a daemon.
  const own = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user'];
  const processes = ['--pid', '--fork', '--kill-child', '--mount-proc'];
  const unshare = await firstThatWorks([
    ['unshare', ...own, ...processes, ...(cutOff ? ['--net'] : []), '--'],
    ...(cutOff ? [['unshare', ...own, '--net', '--']] : []),
  ]);
  if (unshare) prefix.push(...unshare);
  else if (config.NETWORK === 'never')
    throw new Error("the network can't be cut off on this system (unshare --net), and NETWORK = never");
  else if (cutOff) notes.push('the network could not be cut off: this system does not allow it');
  if (!unshare?.includes('--pid'))
    notes.push('processes that the program leaves in another session are not killed');

  const bytes = (megabytes: number) => String(megabytes * 1024 * 1024);
  const limits = [
    ...(config.MEMORY_MB > 0 ? [`--as=${bytes(config.MEMORY_MB)}`] : []),
    ...(config.FILE_MB > 0 ? [`--fsize=${bytes(config.FILE_MB)}`] : []),
    ...(config.PROCESSES > 0 ? [`--nproc=${config.PROCESSES}`] : []),
  ];
  const prlimit = await firstThatWorks([[...prefix, 'prlimit', '--core=0', ...limits, '--']]);
  if (prlimit) prefix.splice(0, prefix.length, ...prlimit);
  else if (limits.length > 0) notes.push('memory and file size are not limited: there is no prlimit');
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
