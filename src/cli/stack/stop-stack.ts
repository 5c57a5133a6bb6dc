import { rm } from 'node:fs/promises';
import { isSystemError } from '../../engine/files/system-error.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import { type StackPlan, writePlan } from './stack-plan.ts';
import { mainProcess, stackProcesses } from './stack-processes.ts';
import { allServers, type StackServer, stackServers } from './stack-servers.ts';

const graceMs = 60_000;
const lookMs = 50;

/** Stops all servers and kills those that do not stop in time. Returns the names of the servers that ran. */
export async function stopStack(plan: StackPlan, clock: Clock): Promise<string[]> {
  const processes = await stackProcesses(plan);
  const servers = allServers(stackServers(plan));
  const running = servers.filter(({ name }) => mainProcess(processes, name) !== undefined);
  const { mapper } = stackServers(plan);
  await writePlan({ ...plan, wanted: 'down' });
  for (const server of running) {
    // Nodes unregister from the port mapper, so it stops last.
    if (server.name !== mapper.name) send(mainProcess(processes, server.name), server.stopSignal);
  }
  const others = running.filter(({ name }) => name !== mapper.name);
  const end = clock.now() + graceMs;
  while (clock.now() < end && (await anyRuns(plan, others))) await sleep(clock, lookMs);
  // The mapper, servers that have not stopped in time, and processes that a killed server has left behind.
  for (const { pid } of await stackProcesses(plan)) send(pid, 'SIGKILL');
  while (await anyRuns(plan, servers)) await sleep(clock, lookMs);
  return running.map(({ name }) => name);
}

/** Removes all data of the stack. It must be stopped. */
export async function deleteStack({ directory, postgres }: StackPlan): Promise<void> {
  for (const path of [postgres, directory]) await rm(path, { recursive: true, force: true, maxRetries: 3 });
}

async function anyRuns(plan: StackPlan, servers: readonly StackServer[]): Promise<boolean> {
  const processes = await stackProcesses(plan);
  return servers.some(({ name }) => mainProcess(processes, name) !== undefined);
}

function send(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended by itself.
    if (!isSystemError(error, 'ESRCH')) throw error;
  }
}
