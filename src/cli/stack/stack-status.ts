import type { StackPlan } from './stack-plan.ts';
import { promoteCommand } from './stack-postgres.ts';
import { mainProcess, memoryOf, stackProcesses } from './stack-processes.ts';
import { allServers, stackServers } from './stack-servers.ts';

export interface ServerStatus {
  server: string;
  /** `silent`: its process runs but does not answer, because it is starting or hangs. */
  state: 'up' | 'silent' | 'dead' | 'stopped';
  role: string | null;
  port: number;
  pid: number | null;
  /** In bytes. */
  memory: number | null;
}

export async function stackStatus(plan: StackPlan): Promise<ServerStatus[]> {
  const processes = await stackProcesses(plan);
  return Promise.all(
    allServers(stackServers(plan)).map(async ({ name, port, role }) => {
      const pid = mainProcess(processes, name);
      const gone = plan.wanted === 'up' ? 'dead' : 'stopped';
      if (pid === undefined) return { server: name, state: gone, role: null, port, pid: null, memory: null };
      const [found, memory] = await Promise.all([role(), memoryOf(pid)]);
      return { server: name, state: found ? 'up' : 'silent', role: found ?? null, port, pid, memory };
    }),
  );
}

/** What to do when the primary of PostgreSQL is dead and its standby is up; undefined otherwise. */
export async function promotionOf(
  plan: StackPlan,
  servers: readonly ServerStatus[],
): Promise<string | undefined> {
  const { postgres } = stackServers(plan);
  const stateOf = (name: string) => servers.find(({ server }) => server === name);
  const standby = postgres.find(({ name }) => stateOf(name)?.role === 'standby');
  const dead = postgres.find(({ name }) => stateOf(name)?.state === 'dead');
  if (!standby || !dead) return undefined;
  return `${dead.name}, the primary, is dead; promote ${standby.name}: \`${await promoteCommand(standby)}\`, then \`pismak stack up\` makes ${dead.name} its standby. Or start ${dead.name} again: \`pismak stack up\``;
}
