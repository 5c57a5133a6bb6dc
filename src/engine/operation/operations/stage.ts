import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { type Stage, type StageDefinition, stageDefinition, stageName } from '../../stage/stage.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { base, blobHash, cut, nothing, page } from './inputs.ts';
import { done } from './rows.ts';
import { applyTo, stagePatch } from './stage-patch.ts';

/** Room for a configuration of 400,000 characters in any alphabet. */
const configBytes = 2 * 2 ** 20;

const stageRow: z.ZodType<Stage> = stageDefinition.extend({ version: z.int() });

/** The current state of a stage. */
const currentStage: z.ZodType<Stage & { broken: string | null }> = stageDefinition
  .extend({
    version: z.int(),
    broken: z
      .string()
      .nullable()
      .default(null)
      .describe('Why the broker refuses its queue, and what to do; null: it works'),
  })
  .meta({ title: 'CurrentStage' });

function asItIs({ engine }: OperationContext, stage: Stage): Stage & { broken: string | null } {
  return { ...stage, broken: engine.broker.refused?.().get(stage.name) ?? null };
}

export const stageList = defineOperation({
  name: 'stage.ls',
  summary: 'List the stages with their newest definitions',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.strictObject({ stages: z.array(currentStage) }),
  example: {},
  async handler(context) {
    const stages = await context.engine.stages.list();
    return { stages: stages.map((stage) => asItIs(context, stage)) };
  },
});

export const stageShow = defineOperation({
  name: 'stage.show',
  summary: 'Show the newest definition of a stage',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({ name: stageName }),
  output: currentStage,
  example: { name: 'recognise' },
  handler: async (context, { name }) => asItIs(context, await context.engine.stages.get(name)),
});

export const stageHistory = defineOperation({
  name: 'stage.history',
  summary: 'List all versions of a stage and their authors, newest first',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({ name: stageName, ...page, limit: page.limit.unwrap().max(100).default(20) }),
  output: z.strictObject({
    versions: z.array(
      z.strictObject({ version: z.int(), changedAt: z.number(), changedBy: z.string(), stage: stageRow }),
    ),
  }),
  example: { name: 'recognise' },
  async handler({ engine }, { name, ...part }) {
    const versions = await engine.stages.history(name);
    // A deleted stage keeps its history; a name that was never used is `not-found`.
    if (versions.length === 0) await engine.stages.get(name);
    return {
      versions: cut(versions, part).map(({ version, changedAt, changedBy, stage }) => ({
        version,
        changedAt,
        changedBy,
        stage,
      })),
    };
  },
});

export const stageCreate = defineOperation({
  name: 'stage.create',
  stores: true,
  summary: 'Create a stage; workers can serve it at once',
  role: 'admin',
  owner: 'none',
  changes: true,
  bodyLimit: configBytes,
  input: stageDefinition,
  output: stageRow,
  example: { name: 'recognise', processor: 'dummy', config: 'TIME_SCALE = 1', priority: 0 },
  async handler(context, definition) {
    await refuseOutputQueue(context, definition.name);
    await checkFiles(context, definition.files);
    return context.engine.stages.create(definition, context.caller.name);
  },
});

export const stageConfigure = defineOperation({
  name: 'stage.configure',
  stores: true,
  summary: 'Change any part of a definition; workers pick it up between two messages',
  role: 'admin',
  owner: 'none',
  changes: true,
  bodyLimit: configBytes,
  input: z.strictObject({ name: stageName, ...stagePatch.shape, base }),
  output: stageRow,
  example: { name: 'recognise', concurrency: 2, retry: { attempts: 5 }, base: 3 },
  async handler(context, { name, base, ...patch }) {
    const { stages } = context.engine;
    await checkFiles(context, patch.files ?? []);
    const before = await stages.get(name);
    // The fields of `retry` that the patch doesn't name are those of `before`.
    const from = base ?? (patch.retry && before.version);
    return stages.change(name, applyTo(before, patch), context.caller.name, from);
  },
});

export const stagePriority = defineOperation({
  name: 'stage.priority',
  summary:
    'Set the priority of a stage for the watchdog: -1 = never serve it, 0 = normal, higher = more workers',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({ name: stageName, priority: stageDefinition.shape.priority.unwrap(), base }),
  output: stageRow,
  example: { name: 'recognise', priority: 2 },
  handler: ({ engine, caller }, input) =>
    engine.stages.change(input.name, { priority: input.priority }, caller.name, input.base),
});

export const stageDelete = defineOperation({
  name: 'stage.delete',
  summary: 'Delete a stage and its queue; refused while messages wait there, unless forced',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    name: stageName,
    force: z.boolean().default(false).describe('Delete it even if messages wait there; they are lost'),
  }),
  output: done,
  example: { name: 'recognise' },
  async handler({ engine }, { name, force }) {
    await engine.stages.delete(name, { force });
    return {};
  },
});

/** Workers of a stage with that name would take the results that wait for the queue's owner. */
async function refuseOutputQueue({ engine }: OperationContext, name: string): Promise<void> {
  if ((await engine.pipelines.outputOwner(name)) === undefined) return;
  throw new PismakError(
    'already-exists',
    `${name} is an output queue, where results wait; choose another name`,
  );
}

export async function checkFiles(
  { engine }: Pick<OperationContext, 'engine'>,
  files: StageDefinition['files'],
): Promise<void> {
  for (const file of files) {
    if (blobHash.safeParse(file.hash).success && (await engine.blobs.has(file.hash))) continue;
    throw new PismakError(
      'blob-missing',
      `file ${file.name}: there is no blob ${file.hash}; upload it first`,
    );
  }
}

export const stageOperations = [
  stageList,
  stageShow,
  stageHistory,
  stageCreate,
  stageConfigure,
  stagePriority,
  stageDelete,
];
