import type { StackPlan } from './stack-plan.ts';
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
