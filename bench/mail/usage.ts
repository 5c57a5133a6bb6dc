import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface Usage {
  cpuSeconds: number;
  writtenMb: number;
}

/** What work has cost, servers included, relays not. */
export interface Cost {
  /** Busy cores: of all, and of this process alone. */
  cpu: number;
  ownCpu: number;
  /** The most that this process had in memory so far. */
  peakRssMb: number;
  writtenMb: number;
  sqlPerSecond: number;
}

interface Costs extends Usage {
  ownCpuSeconds: number;
  at: number;
  sql: number;
}

export function costsNow(servers: readonly number[], sql: number): Costs {
  const { user, system } = process.cpuUsage();
  return { ...usageOf(servers), ownCpuSeconds: (user + system) / 1e6, sql, at: performance.now() };
}

export function costSince(before: Costs, servers: readonly number[], sql: number): Cost {
  const now = costsNow(servers, sql);
  const seconds = (now.at - before.at) / 1000;
  return {
    cpu: Number(((now.cpuSeconds - before.cpuSeconds) / seconds).toFixed(2)),
    ownCpu: Number(((now.ownCpuSeconds - before.ownCpuSeconds) / seconds).toFixed(2)),
    peakRssMb: peakRssMb(),
    writtenMb: Math.round(now.writtenMb - before.writtenMb),
    sqlPerSecond: Math.round((now.sql - before.sql) / seconds),
  };
}

export function peakRssMb(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}

/** Of this process and of trees of others, children that have ended included. */
function usageOf(trees: readonly number[]): Usage {
  const parents = new Map<number, number>();
  const fields = new Map<number, string[]>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const text = Number.isInteger(pid) ? read(`/proc/${pid}/stat`) : '';
    if (text === '') continue;
    const rest = text.slice(text.lastIndexOf(') ') + 2).split(' ');
    fields.set(pid, rest);
    parents.set(pid, Number(rest[1]));
  }
  const isOurs = (pid: number): boolean =>
    pid === process.pid || trees.includes(pid) || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  const sum: Usage = { cpuSeconds: 0, writtenMb: 0 };
  for (const [pid, rest] of fields) {
    if (!isOurs(pid)) continue;
    for (const ticks of rest.slice(11, 15)) sum.cpuSeconds += Number(ticks) / ticksPerSecond;
    const written = /^write_bytes: (\d+)/m.exec(read(`/proc/${pid}/io`))?.[1];
    sum.writtenMb += Number(written ?? 0) / 2 ** 20;
  }
  return sum;
}

/** Empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
