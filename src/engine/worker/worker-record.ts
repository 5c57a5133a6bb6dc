import { z } from 'zod';
import type { Coordination, Hold, Node } from '../coordination/coordination.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import { processLife } from './process-life.ts';

/** The lasting record of a worker, until it is forgotten: its identity and its assignment. At `/workers/ID`. */
export const workerRecord = z
  .object({
    id: z.string(),
    host: z.string(),
    labels: z.array(z.string()),
    stage: z.string().nullable().describe('Exclusive stage assigned to the worker; null: none'),
    enabled: z.boolean().describe('A disabled worker serves nothing, and the watchdog ignores it'),
    pinned: z.boolean().describe('A pinned worker keeps its stage: the watchdog leaves it alone'),
    unlockAt: z.number().describe('Until then the watchdog moves it only if its queue is empty'),
    registeredAt: z.number(),
    failure: z.string().nullable().describe('Why the worker failed; kept after it is gone'),
    leftAt: z.number().nullable().describe('When it stopped cleanly; null while it runs or if it vanished'),
    stop: z
      .string()
      .nullable()
      .optional()
      .describe('`life` of the running worker that was told to stop; one that starts later is not meant'),
  })
  .meta({ title: 'WorkerRecord' });
export type WorkerRecord = z.infer<typeof workerRecord>;

export const mostOffers = 500;
export const mostTools = 20;

/** What a running worker reports with every heartbeat. Ephemeral, at `/presence/ID`. */
export const workerPresence = z.object({
  id: z.string(),
  pid: z.number(),
  host: z.string().optional(),
  process: processLife.optional().describe('Tells this process from others of the same id'),
  /** Identifies this worker object, so that it recognises its own presence after a lost session. */
  life: z.string().optional(),
  state: z.enum(['STARTING', 'PROCESSING', 'RECONFIGURING', 'IDLE', 'FAILED']),
  stage: z.string().nullable().describe('Stage that the worker serves now'),
  stageVersion: z.number(),
  inFlight: z.number().describe('Messages in progress'),
  inFlightOfStage: z.number().optional().describe('Messages of that stage in progress'),
  busySince: z
    .number()
    .nullable()
    .optional()
    .describe('When it started its current message of the exclusive stage'),
  loaded: z.array(z.string()).describe('Stages whose processors are loaded'),
  startedAt: z.number(),
  heartbeatAt: z.number(),
  /** Since its start, per stage: how many messages it processed and their average time. The watchdog merges these. */
  timings: z.record(
    z.string(),
    z.object({
      count: z.number(),
      meanMs: z.number(),
      /** How many of them went on to which stage. */
      next: z.record(z.string(), z.number()).optional(),
    }),
  ),
  unable: z
    .record(z.string(), z.string())
    .default({})
    .describe('Stages that it failed to load recently, and why'),
  failedLoads: z
    .record(z.string(), z.number())
    .optional()
    .describe('How often it failed to load each stage since it last loaded it'),
  offers: z
    .record(z.string(), z.array(z.string()).max(mostOffers))
    .optional()
    .describe('What it can do in stages that say so, such as languages'),
  tools: z
    .record(z.string(), z.array(z.string()).max(mostTools))
    .optional()
    .describe('Programs and models that it uses in stages that say so'),
  switchMs: z.number().nullable().describe('How long its last switch took'),
  coldMs: z
    .number()
    .nullable()
    .optional()
    .describe('How long it could not work during a switch to a stage that it had to load'),
  warmMs: z.number().nullable().optional().describe('The same for a stage that was already loaded'),
  /** The duration of its last switch: from when it served nothing until it served the new stage; null during the switch. */
  lastSwitch: z.object({ from: z.number(), to: z.number().nullable() }).optional(),
});
export type WorkerPresence = z.infer<typeof workerPresence>;

export type WorkerState = WorkerPresence['state'] | 'DEAD';

export interface WorkerView {
  record: WorkerRecord;
  presence: WorkerPresence | null;
  /** Without a presence FAILED if it failed and didn't leave in good order, otherwise DEAD. */
  state: WorkerState;
}

export const workersPath = '/workers';
export const presencePath = '/presence';

export function parseRecord(node: Node): WorkerRecord {
  return workerRecord.parse(JSON.parse(node.value));
}

export function parsePresence(node: Node): WorkerPresence {
  return workerPresence.parse(JSON.parse(node.value));
}

export async function listWorkers(coordination: Coordination): Promise<WorkerView[]> {
  const [records, presences] = await Promise.all([
    coordination.children(workersPath),
    coordination.children(presencePath),
  ]);
  // A node written by another version, or broken by hand, must not hide the other workers.
  const byId = new Map(
    presences.flatMap((node) => readable(node, parsePresence).map((found) => [node.name, found])),
  );
  return records
    .flatMap((node) => readable(node, parseRecord))
    .map((record) => {
      const presence = byId.get(record.id) ?? null;
      const hasLeft = record.failure === null || record.leftAt !== null;
      return { record, presence, state: presence?.state ?? (hasLeft ? 'DEAD' : 'FAILED') };
    });
}

function readable<T>(node: Node, parse: (node: Node) => T): T[] {
  try {
    return [parse(node)];
  } catch {
    return [];
  }
}

/**
 * Changes a worker's record by compare and set; retries after a concurrent change. `change` returns undefined to
 * leave it as it is.
 */
export async function changeWorker(
  coordination: Coordination,
  id: string,
  change: (record: WorkerRecord) => WorkerRecord | undefined,
  options: { under?: Hold } = {},
): Promise<WorkerRecord> {
  for (;;) {
    const node = await coordination.get(`${workersPath}/${id}`);
    if (!node) throw new PismakError('not-found', sayRefusal('unknown.worker', { worker: id }));
    const before = parseRecord(node);
    const after = change(before);
    if (!after) return before;
    try {
      await coordination.set(node.path, JSON.stringify(after), { version: node.version, ...options });
      return after;
    } catch (error) {
      if (!hasCode(error, 'node-changed')) throw error;
    }
  }
}

/** Ends all assignments to a stage, except those that change meanwhile. */
export async function takeWorkersOff(coordination: Coordination, stage: string): Promise<void> {
  for (const { record } of await listWorkers(coordination)) {
    if (record.stage !== stage) continue;
    await changeWorker(coordination, record.id, (now) =>
      now.stage === stage ? { ...now, stage: null } : undefined,
    );
  }
}
