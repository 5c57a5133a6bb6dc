import { z } from 'zod';
import { PismakError } from '../../errors.ts';
import { stageList } from '../../request/submitted-names.ts';
import { stageName } from '../../stage/stage.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { cut, page } from './inputs.ts';
import { done, pipelineRow } from './rows.ts';

export const pipelineList = defineOperation({
  name: 'pipeline.ls',
  summary: 'Named lists of stages that requests can be submitted to',
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
  summary: 'The stages of a pipeline and its output queue, the last of them',
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
  summary: 'Names a list of stages; the last name is the output queue, which is made if it is new',
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
  summary: 'Forgets the name; requests under way go on, the output queue and its results stay',
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
