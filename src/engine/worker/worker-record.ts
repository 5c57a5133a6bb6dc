import { z } from 'zod';
import type { Coordination, Hold, Node } from '../coordination/coordination.ts';
import { hasCode, PismakError } from '../errors.ts';

/** What stays of a worker until it is forgotten: who it is and what it was told to do. At `/workers/ID`. */
export const workerRecord = z
  .object({
    id: z.string(),
    host: z.string(),
    labels: z.array(z.string()),
    stage: z.string().nullable().describe('The exclusive stage that it was told to serve; null: none'),
    enabled: z.boolean().describe('A disabled worker serves nothing and is planned for nothing'),
    pinned: z.boolean().describe('A pinned worker keeps its stage: the watchdog leaves it alone'),
    unlockAt: z.number().describe('Until then the watchdog moves it only if its queue is empty'),
    registeredAt: z.number(),
    failure: z.string().nullable().describe('Why it failed; kept after it has gone'),
    leftAt: z
      .number()
      .nullable()
      .describe('When it stopped in good order; null while it runs or if it vanished'),
  })
  .meta({ title: 'WorkerRecord' });
export type WorkerRecord = z.infer<typeof workerRecord>;

/** What a living worker says of itself with every heartbeat. Ephemeral, at `/presence/ID`. */
export const workerPresence = z.object({
  id: z.string(),
  pid: z.number(),
  state: z.enum(['STARTING', 'PROCESSING', 'RECONFIGURING', 'IDLE', 'FAILED']),
  stage: z.string().nullable().describe('The stage that it serves now'),
  stageVersion: z.number(),
  inFlight: z.number().describe('Messages that it processes now'),
  inFlightOfStage: z.number().optional().describe('Messages in flight of that stage alone'),
  busySince: z
    .number()
    .nullable()
    .optional()
    .describe('When it began its current message of the exclusive stage'),
  loaded: z.array(z.string()).describe('Stages whose processors are loaded'),
  startedAt: z.number(),
  heartbeatAt: z.number(),
  /** Since its start, per stage: how many it processed and how long one took on average. The watchdog merges these. */
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
    .describe('Stages that it failed to load lately, and why'),
  switchMs: z.number().nullable().describe('How long its last switch took'),
  coldMs: z
    .number()
    .nullable()
    .optional()
    .describe('How long a switch to a stage that it had to load kept it from working'),
  warmMs: z.number().nullable().optional().describe('The same for a stage that was loaded'),
  /** Its last switch: from when it served nothing to when it served the new stage, null while it is under way. */
  lastSwitch: z.object({ from: z.number(), to: z.number().nullable() }).optional(),
});
export type WorkerPresence = z.infer<typeof workerPresence>;

export type WorkerState = WorkerPresence['state'] | 'DEAD';

export interface WorkerView {
  record: WorkerRecord;
  presence: WorkerPresence | null;
  /** DEAD when it has no presence. */
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
  // A node that another version wrote, or a hand spoiled, must not hide the other workers.
  const byId = new Map(
    presences.flatMap((node) => readable(node, parsePresence).map((found) => [node.name, found])),
  );
  return records
    .flatMap((node) => readable(node, parseRecord))
    .map((record) => {
      const presence = byId.get(record.id) ?? null;
      return { record, presence, state: presence?.state ?? (record.failure === null ? 'DEAD' : 'FAILED') };
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
 * Changes a worker's record by compare and set, again when somebody else was faster. `change` returns undefined to
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
    if (!node)
      throw new PismakError('not-found', `there is no worker ${id}; \`pismak worker ls\` lists them`);
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
