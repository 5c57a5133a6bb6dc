import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { sayRefusal } from '../../ground/refusals.ts';
import { stageList } from '../../request/submitted-names.ts';
import { newName, ownedName } from '../../stage/owned-name.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { base, cut, namer, page } from './inputs.ts';
import { done, pipelineRow } from './rows.ts';

export const pipelineList = defineOperation({
  name: 'pipeline.ls',
  summary: 'List the pipelines: named lists of stages that accept requests',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject(page),
  output: z.strictObject({ pipelines: z.array(pipelineRow) }),
  example: {},
  handler: async ({ engine }, part) => ({ pipelines: cut(await engine.pipelines.list(), part) }),
});

export const pipelineShow = defineOperation({
  name: 'pipeline.show',
  summary: 'Show the stages of a pipeline; the last name is its output queue',
  role: 'reader',
  owner: 'none',
  changes: false,
  input: z.strictObject({ name: ownedName }),
  output: pipelineRow,
  example: { name: 'pages' },
  async handler({ engine, caller }, { name }) {
    const pipeline = await engine.pipelines.find(name, namer(caller));
    if (!pipeline) throw unknownPipeline(name);
    return pipeline;
  },
});

export const pipelineCreate = defineOperation({
  name: 'pipeline.create',
  stores: true,
  summary:
    'Define a pipeline, a named list of stages; the last name is the output queue, created if needed. Pipelines of users are named OWNER/NAME',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({ name: ownedName, stages: stageList }),
  output: pipelineRow,
  example: { name: 'pages', stages: ['recognise', 'pages-done'] },
  async handler({ engine, caller }, { name, stages }) {
    const { prepareStages } = await import('../../request/submit.ts');
    const by = namer(caller);
    const most = caller.role === 'admin' ? 0 : engine.settings.limits.pipelines;
    const whole = await prepareStages(engine, stages, by);
    return engine.pipelines.create({ name: newName(by, name), stages: whole, owner: caller.name, most });
  },
});

export const pipelineSet = defineOperation({
  name: 'pipeline.set',
  stores: true,
  summary: 'Change the stages of a pipeline; requests under way go on through the stages that they have',
  role: 'user',
  owner: (context, { name }) => pipelineOwner(context, name),
  changes: true,
  input: z.strictObject({ name: ownedName, stages: stageList, base }),
  output: pipelineRow,
  example: { name: 'pages', stages: ['recognise', 'correct', 'pages-done'], base: 1 },
  async handler({ engine, caller }, { name, stages, base }) {
    const { prepareStages } = await import('../../request/submit.ts');
    const by = namer(caller);
    const pipeline = await engine.pipelines.find(name, by);
    if (!pipeline) throw unknownPipeline(name);
    const whole = await prepareStages(engine, stages, by);
    return engine.pipelines.set(pipeline.name, whole, caller.name, base);
  },
});

export const pipelineDelete = defineOperation({
  name: 'pipeline.delete',
  summary: 'Delete a pipeline; requests under way go on, and the output queue keeps its results',
  role: 'user',
  owner: (context, { name }) => pipelineOwner(context, name),
  changes: true,
  input: z.strictObject({ name: ownedName }),
  output: done,
  example: { name: 'pages' },
  async handler({ engine, caller }, { name }) {
    const pipeline = await engine.pipelines.find(name, namer(caller));
    await engine.pipelines.delete(pipeline?.name ?? name);
    return {};
  },
});

function unknownPipeline(pipeline: string): PismakError {
  return new PismakError('not-found', sayRefusal('unknown.pipeline', { pipeline }));
}

async function pipelineOwner(
  { engine, caller }: OperationContext,
  name: string,
): Promise<string | undefined> {
  return (await engine.pipelines.find(name, namer(caller)))?.owner;
}

export const pipelineOperations = [pipelineList, pipelineShow, pipelineCreate, pipelineSet, pipelineDelete];
