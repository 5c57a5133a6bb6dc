import { z } from 'zod';
import { hasCode, PismakError } from '../../ground/errors.ts';
import { sayRefusal } from '../../ground/refusals.ts';
import type { Stage } from '../../stage/stage.ts';
import { stageName } from '../../stage/stage.ts';
import { forgetJournal, mostFailures, mostLines, readJournal } from '../../worker/journal-rows.ts';
import {
  changeWorker,
  presencePath,
  type WorkerRecord,
  workerRecord,
  workersPath,
} from '../../worker/worker-record.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { labels, nothing, workerId } from './inputs.ts';
import { done } from './rows.ts';
import { workerRow, workerRows } from './worker-rows.ts';

export const workerList = defineOperation({
  name: 'worker.ls',
  summary: 'List the workers, running and dead: their assignments and the state they report',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({ workers: z.array(workerRow) }),
  example: {},
  handler: async ({ engine }) => ({ workers: await workerRows(engine.coordination) }),
});

const changing = { role: 'admin', owner: 'none', changes: true } as const;
const example = { id: 'w1' };
const onlyId = z.strictObject({ id: workerId });

export const workerSwitch = defineOperation({
  ...changing,
  name: 'worker.switch',
  summary:
    'Switch a worker to another stage (null: none) until the watchdog needs it elsewhere; pin it to keep it there',
  input: z.strictObject({ id: workerId, stage: stageName.nullable() }),
  output: workerRecord,
  example: { id: 'w1', stage: 'recognise' },
  handler: async (context, { id, stage }) => change(context, id, await sendTo(context, stage)),
});

export const workerPin = defineOperation({
  ...changing,
  name: 'worker.pin',
  summary: 'Pin a worker to its stage or to another one, so that the watchdog leaves it there, or unpin it',
  input: z.strictObject({
    id: workerId,
    stage: stageName
      .nullable()
      .optional()
      .describe('Switch the worker to this stage first (null: no stage); default: it stays where it is'),
    pinned: z.boolean(),
  }),
  output: workerRecord,
  example: { id: 'w1', stage: 'recognise', pinned: true },
  async handler(context, { id, stage, pinned }) {
    const send = stage === undefined ? same : await sendTo(context, stage);
    return change(context, id, (record) => ({ ...send(record), pinned }));
  },
});

export const workerEnable = defineOperation({
  ...changing,
  name: 'worker.enable',
  summary: 'Enable a disabled worker',
  input: onlyId,
  output: workerRecord,
  example,
  handler: (context, { id }) => change(context, id, (record) => ({ ...record, enabled: true })),
});

export const workerDisable = defineOperation({
  ...changing,
  name: 'worker.disable',
  summary: 'Disable a worker: it finishes its messages and takes no more',
  input: onlyId,
  output: workerRecord,
  example,
  handler: (context, { id }) => change(context, id, (record) => ({ ...record, enabled: false })),
});

export const workerForget = defineOperation({
  ...changing,
  name: 'worker.forget',
  summary: 'Remove the record of a worker that no longer runs',
  input: onlyId,
  output: done,
  example,
  async handler({ engine }, { id }) {
    const { coordination, changes } = engine;
    const runs = new PismakError('conflict', `worker ${id} is running; stop it first, or disable it`);
    const node = await coordination.get(`${workersPath}/${id}`);
    if (!node) throw new PismakError('not-found', sayRefusal('unknown.worker', { worker: id }));
    if (await coordination.get(`${presencePath}/${id}`)) throw runs;
    try {
      // A starting worker writes its record, so this fails for one that has just come back.
      await coordination.delete(node.path, { version: node.version });
    } catch (error) {
      throw hasCode(error, 'node-changed') ? runs : error;
    }
    await forgetJournal(engine.database.query, id);
    changes.add({ kind: 'worker', entity: id, data: { forgotten: true } });
    return {};
  },
});

export const workerLog = defineOperation({
  name: 'worker.log',
  summary:
    'Show the latest log lines and failed attempts of a worker, wherever it runs or ran; the whole log is on its machine',
  role: 'admin',
  owner: 'none',
  changes: false,
  audited: true,
  input: onlyId,
  output: z.strictObject({
    lines: z
      .array(z.strictObject({ at: z.number(), level: z.enum(['info', 'warn', 'error']), text: z.string() }))
      .max(mostLines)
      .describe('Oldest first'),
    failures: z
      .array(
        z.strictObject({
          at: z.number(),
          stage: z.string(),
          uuid: z.string(),
          owner: z.string().describe("Empty: a program with the broker's password sent the request"),
          attempt: z.int(),
          reason: z.string(),
        }),
      )
      .max(mostFailures)
      .describe('Failed attempts at requests, oldest first'),
  }),
  example,
  async handler({ engine }, { id }) {
    const { coordination, database } = engine;
    if (!(await coordination.get(`${workersPath}/${id}`)))
      throw new PismakError('not-found', sayRefusal('unknown.worker', { worker: id }));
    return readJournal(database.query, id);
  },
});

export const workerStart = defineOperation({
  ...changing,
  name: 'worker.start',
  summary: 'Start one more worker in the running process',
  input: z.strictObject({ id: workerId.optional(), labels: labels.optional() }),
  output: z.strictObject({ id: z.string() }),
  example: { id: 'w9', labels: ['gpu'] },
  handler: async ({ engine }, options) => ({
    id: await engine.workers.start({
      ...(options.id !== undefined && { id: options.id }),
      ...(options.labels && { labels: options.labels }),
    }),
  }),
});

export const workerStop = defineOperation({
  ...changing,
  name: 'worker.stop',
  // It finishes its messages first.
  deadlineMs: 3_600_000,
  summary:
    'Stop a worker, wherever it runs: it finishes its messages, or gives back what takes longer than its `worker.drainMs`, and leaves',
  input: z.strictObject({
    id: workerId,
    waitMs: z
      .int()
      .min(0)
      .max(3_000_000)
      .default(60_000)
      .describe('How long to wait until it has left; it stops all the same'),
  }),
  output: z.strictObject({
    stopped: z.boolean().describe('False: it was told to stop, and has not left yet'),
  }),
  example,
  async handler(context, { id, waitMs }) {
    const { stopWorker } = await import('../../worker/stop-worker.ts');
    const { engine, signal } = context;
    const stopping = stopWorker(engine, id, { waitMs, signal });
    engine.changes.add({ kind: 'worker', entity: id });
    return { stopped: await stopping };
  },
});

async function change(
  { engine }: OperationContext,
  id: string,
  make: (record: WorkerRecord) => WorkerRecord,
): Promise<WorkerRecord> {
  const record = await changeWorker(engine.coordination, id, make);
  engine.changes.add({ kind: 'worker', entity: id });
  return record;
}

const same = (record: WorkerRecord) => record;

/** What sends a worker to a stage (null: none), after checking that workers are sent there. */
async function sendTo(
  context: OperationContext,
  name: string | null,
): Promise<(record: WorkerRecord) => WorkerRecord> {
  if (name === null) return (record) => ({ ...record, stage: null, unlockAt: 0 });
  const stage = await context.engine.stages.get(name);
  if (stage.mode === 'shared') {
    throw new PismakError(
      'conflict',
      `stage ${name} is shared: every worker serves it all the time, no switch needed`,
    );
  }
  const unlockAt = await lockedUntil(context, name);
  return (record) => {
    checkLabels(record, stage);
    return { ...record, stage: name, unlockAt };
  };
}

function checkLabels(record: WorkerRecord, stage: Stage): void {
  const missing = stage.labels.filter((label) => !record.labels.includes(label));
  if (missing.length === 0) return;
  throw new PismakError(
    'conflict',
    `worker ${record.id} lacks labels that stage ${stage.name} needs: ${missing.join(', ')}`,
  );
}

/** As long as the watchdog leaves a worker in place after moving it. */
async function lockedUntil({ engine }: OperationContext, stage: string): Promise<number> {
  const { planNow } = await import('../../watchdog/watchdog.ts');
  const { minimumMessages, reconfigurationMs } = engine.settings.watchdog;
  const averageMs = (await planNow(engine)).queues.find((queue) => queue.stage === stage)?.averageMs ?? 0;
  return engine.clock.now() + Math.ceil(averageMs * minimumMessages) + reconfigurationMs;
}

export const workerOperations = [
  workerList,
  workerSwitch,
  workerPin,
  workerEnable,
  workerDisable,
  workerForget,
  workerLog,
  workerStart,
  workerStop,
];
