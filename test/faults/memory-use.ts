import { readdir, readFile } from 'node:fs/promises';

/** Resident memory in MB; 0 when there is no such process (any more). */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
}

/** Of a process and all that it has started, as far as they live; what they share counts for each. */
export async function residentMbOfAll(pid: number): Promise<number> {
  const children = new Map<number, number[]>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = Number(/\) \S (\d+) /.exec(stat)?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const sum = async (one: number): Promise<number> => {
    let megabytes = await residentMb(one);
    for (const child of children.get(one) ?? []) megabytes += await sum(child);
    return megabytes;
  };
  return sum(pid);
}
