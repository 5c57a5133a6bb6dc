import type { Logger } from 'pino';
import type { Coordination, Node } from '../coordination/coordination.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { hasEnded } from './process-life.ts';
import { presencePath, type WorkerPresence, workerPresence } from './worker-record.ts';

/** Longer than any session outlives its process. */
const longestMs = 60_000;
const lookMs = 250;

/**
 * Creates the presence node of a worker. A killed process leaves its node behind until its session expires: the
 * node is replaced at once if it is our own or its process is known to have ended. Otherwise we wait until it expires, or until
 * a sign of life: then this rejects with `already-exists`.
 */
export async function claimPresence(
  session: Coordination,
  describe: () => WorkerPresence,
  { clock, log, signal }: { clock: Clock; log: Logger; signal: AbortSignal },
): Promise<void> {
  const { id } = describe();
  const path = `${presencePath}/${id}`;
  const began = clock.now();
  let first: Node | undefined;
  for (;;) {
    const ours = describe();
    if (await create(session, path, ours)) return;
    const node = await session.get(path);
    if (!node) continue;
    const other = read(node);
    const isOurs = other?.life !== undefined && other.life === ours.life;
    const ended = hasEnded(other?.process);
    if (isOurs || ended) {
      if (!isOurs) log.info({ process: other?.pid }, 'this worker was killed before; taking its place');
      await remove(session, node);
      continue;
    }
    const isAlive = ended === false || (first !== undefined && node.version !== first.version);
    if (isAlive || clock.now() - began > longestMs || signal.aborted) throw taken(id, other);
    if (!first) {
      const text = 'a worker of this name has not signed off; waiting for its session to expire';
      log.info({ process: other?.pid, host: other?.host }, text);
    }
    first ??= node;
    await sleep(clock, lookMs, signal);
  }
}

async function create(session: Coordination, path: string, presence: WorkerPresence): Promise<boolean> {
  try {
    await session.create(path, JSON.stringify(presence), { ephemeral: true });
    return true;
  } catch (error) {
    if (hasCode(error, 'node-exists')) return false;
    throw error;
  }
}

async function remove(session: Coordination, node: Node): Promise<void> {
  try {
    await session.delete(node.path, { version: node.version });
  } catch (error) {
    if (!hasCode(error, 'node-changed')) throw error;
  }
}

function read(node: Node): WorkerPresence | undefined {
  try {
    return workerPresence.safeParse(JSON.parse(node.value)).data;
  } catch {
    return undefined;
  }
}

function taken(id: string, other: WorkerPresence | undefined): PismakError {
  const where = other ? ` (process ${other.pid}${other.host ? ` on ${other.host}` : ''})` : '';
  return new PismakError(
    'already-exists',
    `a worker named ${id} is running${where}; stop it, or give this one another name (worker run --id)`,
  );
}
