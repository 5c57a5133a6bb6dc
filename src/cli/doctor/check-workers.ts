import { openCoordination } from '../../engine/coordination/open.ts';
import type { Holder } from '../../engine/data-directory/data-directory.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { workerList } from '../../engine/operation/operations/worker.ts';
import { type WorkerRow, workerRows } from '../../engine/operation/operations/worker-rows.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { Clock } from '../../engine/time/clock.ts';
import { withDeadline } from '../../engine/time/deadline.ts';
import type { Client } from '../../terminal/client/client.ts';
import { type Finding, ok, warn } from './finding.ts';

const mostMs = 10_000;

/** What every running worker of the cluster works with. Asks the running process; if none runs here, the coordination service. */
export async function checkWorkers(
  settings: Pick<Settings, 'coordination'>,
  parts: { clock: Clock; holder: Holder | undefined; client(): Promise<Client> },
): Promise<Finding[]> {
  const { clock, holder, client } = parts;
  const isEmbedded = settings.coordination.startsWith('embedded:');
  // Health, or the servers, are checked apart.
  if (isEmbedded && !holder?.url) return [];
  try {
    const rows = holder?.url
      ? (await (await client()).call(workerList, {})).workers
      : await withDeadline(clock, mostMs, listFromCoordination(settings, clock), () => {
          throw new Error('the coordination service does not answer');
        });
    return describeWorkers(rows);
  } catch (error) {
    return [warn('workers', `unknown: ${messageOf(error)}`, 'correct what the other checks say')];
  }
}

async function listFromCoordination(
  { coordination }: Pick<Settings, 'coordination'>,
  clock: Clock,
): Promise<WorkerRow[]> {
  const source = await openCoordination(coordination, { clock });
  try {
    const session = await source.openSession(`doctor-${newId(clock)}`);
    try {
      return await workerRows(session);
    } finally {
      await session.close();
    }
  } finally {
    await source.close();
  }
}

/** One finding for each running worker. */
export function describeWorkers(rows: readonly WorkerRow[]): Finding[] {
  const running = rows.filter(({ presence }) => presence !== null);
  if (running.length === 0) return [warn('workers', 'none is running', '`pismak worker run` starts one')];
  return running.map(({ id, host, enabled, presence }) => {
    const check = `worker ${id}`;
    if (!enabled) return ok(check, `on ${host}, disabled`);
    const stages = Object.entries(presence?.tools ?? {});
    const tools = stages.map(([stage, used]) => `${stage}: ${used.join('; ') || 'no recogniser'}`);
    const rest = presence?.tools === undefined ? 'it does not report its tools (an older version)' : '';
    const unable = Object.entries(presence?.unable ?? {});
    const found = [`on ${host}`, ...tools, ...(rest ? [rest] : [])].join('; ');
    if (unable.length === 0) return ok(check, found);
    const why = unable.map(([stage, reason]) => `stage ${stage} can't be loaded: ${reason}`).join('; ');
    return warn(check, `${found}; ${why}`, 'correct it on that machine; the worker tries again');
  });
}
