import { readdirSync, readFileSync } from 'node:fs';

const lookMs = 50;
/** Shells and the like are not worth a line. */
const leastMb = 20;

/** The most that processes of one kind have had resident, each for itself, in MB. */
export interface MemoryPeak {
  process: string;
  /** How many of this kind were seen. */
  count: number;
  /**
   * All that was mapped and resident at once, as the kernel notes it (VmHWM): heap, buffers, and pages of mapped files such as the Node
   * binary. Not the page cache of files that are read and written: the kernel takes it back when others need memory.
   */
  mostMb: number;
  /** Of that, heap and buffers (RssAnon), and mapped files (RssFile), at the time of the look when they were most. */
  anonymousMb: number;
  fileMb: number;
}

/** Looks at this process's descendants, again and again until it is closed. */
export class MemoryPeaks implements Disposable {
  readonly #peaks = new Map<string, MemoryPeak & { pids: Set<number> }>();
  readonly #timer = setInterval(() => this.#look(), lookMs);

  get peaks(): MemoryPeak[] {
    this.#look();
    return [...this.#peaks.values()]
      .filter(({ mostMb }) => mostMb >= leastMb)
      .map(({ pids, ...peak }) => ({ ...peak, count: pids.size }))
      .sort((one, other) => other.mostMb - one.mostMb);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const { pid, status } of descendants()) {
      const words = read(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);
      // It has just been forked, and is about to become something else.
      if (words.join(' ') === process.argv.join(' ') || words.length === 0) continue;
      const process_ = kindOf(words);
      const megabytes = (name: string) =>
        Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) / 1024);
      const known = this.#peaks.get(process_);
      const peak = known ?? {
        process: process_,
        count: 0,
        mostMb: 0,
        anonymousMb: 0,
        fileMb: 0,
        pids: new Set(),
      };
      peak.pids.add(pid);
      peak.mostMb = Math.max(peak.mostMb, megabytes('VmHWM'));
      peak.anonymousMb = Math.max(peak.anonymousMb, megabytes('RssAnon'));
      peak.fileMb = Math.max(peak.fileMb, megabytes('RssFile'));
      this.#peaks.set(process_, peak);
    }
  }
}

/** `worker run`, `stage create`, `a processor`, `postgres`: what a user would call it. */
function kindOf(words: readonly string[]): string {
  const main = words.findIndex((word) => word.endsWith('/src/main.ts'));
  if (main > 0) {
    const named = words
      .slice(main + 1)
      .filter((word, at, all) => !word.startsWith('-') && !all[at - 1]?.startsWith('-'));
    return `pismak ${['up', 'publish'].includes(named[0] ?? '') ? named[0] : named.slice(0, 2).join(' ')}`;
  }
  const program = words.find((word) => word.endsWith('/processor/host.ts'));
  if (program) return words[0]?.endsWith('bwrap') ? 'bwrap' : 'a processor';
  return (words[0] ?? '').split('/').at(-1)?.split(/[: ]/)[0] ?? '';
}

function descendants(): { pid: number; status: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), status: read(`/proc/${name}/status`) }));
  const parents = new Map(
    all.map(({ pid, status }) => [pid, Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1] ?? 0)]),
  );
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid) ?? 0;
    return parent === process.pid || (parent > 1 && isOurs(parent));
  };
  return all.filter(({ pid }) => isOurs(pid));
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has just ended.
    return '';
  }
}
