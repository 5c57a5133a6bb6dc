import { join } from 'node:path';
import { loadHouses } from '../../engine/house.ts';
import { openLog } from '../../engine/log/log.ts';
import { workerList, workerStart, workerStop } from '../../engine/operation/operations/worker.ts';
import type { WorkerRow } from '../../engine/operation/operations/worker-rows.ts';
import { freeMemoryWhenIdle } from '../../engine/process/idle-memory.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import { sleep } from '../../engine/time/clock.ts';
import { startWorkerProcess } from '../../engine/worker-process.ts';
import type { Client } from '../../terminal/client/client.ts';
import { requireRunning } from '../../terminal/client/require-running.ts';
import { EndsWith, exitCodes } from '../../terminal/exit-codes.ts';
import { formatTime } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';

export interface RunWorkerOptions {
  id?: string;
  labels?: string[];
  coordination?: string;
  coordinationFile?: string;
}

const lookMs = 1000;

/**
 * Starts a worker in the process that uses the data directory (or on the server that --url names), prints its state, and
 * stops it on Ctrl-C. Refuses if no process runs: without a watchdog the worker would get no work.
 */
export async function runWorker(session: Session<RunWorkerOptions>): Promise<void> {
  const { out, options, clock } = session;
  const { id: wanted, labels } = options;
  const { settings, warnings } = await session.settings();
  for (const warning of warnings) session.stderr.write(`pismak: ${warning}\n`);
  if (!settings.coordination.startsWith('embedded:')) return runAlone(session, settings);
  await requireRunning(session);
  const client = await session.client();
  const { id } = await client.call(workerStart, { id: wanted, labels });
  out.say(`worker ${id} runs; Ctrl-C stops it`);
  let told = '';
  try {
    while (!session.signal.aborted) {
      const worker = await findWorker(client, id);
      if (!worker?.presence) return out.say(`another command has stopped worker ${id}`);
      const state = `${worker.state} ${worker.presence.stage ?? ''}`.trimEnd();
      if (state !== told) out.say(`${formatTime(clock.now())} ${state}`);
      told = state;
      await sleep(clock, lookMs, session.signal);
    }
  } catch (error) {
    if (!session.signal.aborted) throw error;
  }
  out.say('stopping: current work may finish');
  await client.call(workerStop, { id }, { afterInterruption: true });
  out.say(`worker ${id} is stopped`);
}

/** Runs a worker in this process, on any machine. It needs only the URL of the coordination service. */
async function runAlone(
  { out, options, clock, signal, houses }: Session<RunWorkerOptions>,
  settings: Settings,
): Promise<void> {
  const file = join(settings.data, 'logs', 'worker.log');
  const log = openLog({ level: settings.log.level, file, console: (line) => out.say(line) });
  const { id, labels } = options;
  const worker = startWorkerProcess({
    settings,
    clock,
    random: Math.random,
    log: log.logger,
    id,
    labels,
    houses: await loadHouses(houses),
  });
  out.say(`worker ${worker.id} runs; Ctrl-C stops it`);
  const stopFreeing = freeMemoryWhenIdle(clock);
  const interrupted = new Promise<false>((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  const isTold = await Promise.race([interrupted, worker.stopped.then(() => true)]);
  stopFreeing();
  if (!isTold) out.say('stopping: current work may finish');
  await worker.close();
  log.close();
  out.say(`worker ${worker.id} is stopped${isTold ? ' by `pismak worker stop`' : ''}`);
  // So that systemd doesn't start it again.
  if (isTold) throw new EndsWith(exitCodes.stopped);
}

async function findWorker(client: Client, id: string): Promise<WorkerRow | undefined> {
  const { workers } = await client.call(workerList, {});
  return workers.find((worker) => worker.id === id);
}
