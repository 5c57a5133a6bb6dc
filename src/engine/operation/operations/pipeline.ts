import { z } from 'zod';
import { PismakError } from '../../errors.ts';
import { stageList } from '../../request/submitted-names.ts';
import { stageName } from '../../stage/stage.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { cut, page } from './inputs.ts';
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
  input: z.strictObject({ name: stageName }),
  output: pipelineRow,
  example: { name: 'pages' },
  async handler({ engine }, { name }) {
    const pipeline = await engine.pipelines.find(name);
    if (!pipeline)
      throw new PismakError('not-found', `there is no pipeline ${name}; \`pismak pipeline ls\` lists them`);
    return pipeline;
  },
});

export const pipelineCreate = defineOperation({
  name: 'pipeline.create',
  stores: true,
  summary: 'Define a pipeline, a named list of stages; the last name is the output queue, created if needed',
  role: 'user',
  owner: 'caller',
  changes: true,
  input: z.strictObject({ name: stageName, stages: stageList }),
  output: pipelineRow,
  example: { name: 'pages', stages: ['recognise', 'pages-done'] },
  async handler({ engine, caller }, { name, stages }) {
    const { prepareStages } = await import('../../request/submit.ts');
    await prepareStages(engine, stages, { owner: caller.name, role: caller.role });
    return engine.pipelines.create({ name, stages, owner: caller.name });
  },
});

export const pipelineDelete = defineOperation({
  name: 'pipeline.delete',
  summary: 'Delete a pipeline; requests under way go on, and the output queue keeps its results',
  role: 'user',
  owner: (context, { name }) => pipelineOwner(context, name),
  changes: true,
  input: z.strictObject({ name: stageName }),
  output: done,
  example: { name: 'pages' },
  async handler({ engine }, { name }) {
    await engine.pipelines.delete(name);
    return {};
  },
});

async function pipelineOwner({ engine }: OperationContext, name: string): Promise<string | undefined> {
  return (await engine.pipelines.find(name))?.owner;
}

export const pipelineOperations = [pipelineList, pipelineShow, pipelineCreate, pipelineDelete];
