import { z } from 'zod';
import { fileName, stageList } from '../../request/submitted-names.ts';
import { stageName } from '../../stage/stage.ts';
import { defineOperation } from '../operation.ts';
import { blobHash } from './inputs.ts';

const file = z
  .strictObject({
    name: fileName,
    content: z.base64().optional().describe('Base64'),
    blob: blobHash.optional().describe('Instead of the content: the hash of an upload'),
  })
  .refine(({ content, blob }) => (content === undefined) !== (blob === undefined), {
    error: 'give either its content in base64 or the blob that was uploaded',
  });

export const requestSubmit = defineOperation({
  name: 'request.submit',
  summary: 'Sends files through a pipeline or a list of stages; the results wait in its output queue',
  role: 'user',
  owner: 'caller',
  changes: true,
  // Who submitted it stands in the request itself.
  audited: false,
  input: z
    .strictObject({
      pipeline: stageName.optional(),
      stages: stageList
        .optional()
        .describe('Instead of a pipeline: stages, and last the output queue, which is made if it is new'),
      output: stageName.optional().describe("Instead of the pipeline's own output queue"),
      files: z.array(file).max(1000),
      priority: z
        .int()
        .min(0)
        .max(0xffff_ffff)
        .optional()
        .describe('1 or more goes before everything that has 0'),
      uuid: z
        .uuid()
        .optional()
        .describe('Yours, to be able to submit again when in doubt whether it arrived'),
      pageUuid: z.uuid().optional(),
    })
    .refine((input) => (input.pipeline === undefined) !== (input.stages === undefined), {
      error: 'give either a pipeline or a list of stages',
    })
    .refine((input) => input.output === undefined || input.pipeline !== undefined, {
      path: ['output'],
      error: 'goes with a pipeline only: in a list of stages the last one is the output queue',
    }),
  output: z.strictObject({ uuid: z.string(), stages: z.array(z.string()) }),
  example: {
    stages: ['recognise', 'pages-done'],
    files: [{ name: 'page.txt', content: Buffer.from('a page').toString('base64') }],
  },
  async handler({ engine, caller }, { files, ...input }) {
    const { submitRequest } = await import('../../request/submit.ts');
    const { uuid, processingStages } = await submitRequest(engine, {
      ...input,
      owner: caller.name,
      role: caller.role,
      files: files.map(({ name, content = '', blob }) =>
        blob === undefined ? { name, content: Buffer.from(content, 'base64') } : { name, blob },
      ),
    });
    return { uuid, stages: processingStages };
  },
});

export const requestOperations = [requestSubmit];
