import { z } from 'zod';
import { mayTouch } from '../../ground/caller.ts';
import { PismakError } from '../../ground/errors.ts';
import { fileName, stageList } from '../../request/submitted-names.ts';
import { ownedName } from '../../stage/owned-name.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { requestFailed, requestShow } from './failed-request.ts';
import { blobHash } from './inputs.ts';
import { done } from './rows.ts';

const file = z
  .strictObject({
    name: fileName,
    content: z.base64().optional().describe('Base64'),
    blob: blobHash.optional().describe('Hash of an upload, instead of the content'),
  })
  .refine(({ content, blob }) => (content === undefined) !== (blob === undefined), {
    error: 'give either the content in base64 or the hash of an uploaded blob',
  });

export const requestSubmit = defineOperation({
  name: 'request.submit',
  stores: true,
  summary: 'Send files through a pipeline or a list of stages; the results wait in the output queue',
  role: 'user',
  owner: 'caller',
  changes: true,
  // The request itself names its submitter.
  audited: false,
  // File contents in Base64.
  bodyLimit: 8 * 2 ** 20,
  input: z
    .strictObject({
      pipeline: ownedName.optional(),
      stages: stageList
        .optional()
        .describe('Stages instead of a pipeline; the last name is the output queue, created if needed'),
      output: ownedName.optional().describe('Output queue to use instead of that of the pipeline'),
      files: z.array(file).max(1000),
      priority: z
        .int()
        .min(0)
        .max(0x7fff_ffff)
        .optional()
        .describe(
          'Requests with 1 or more go before all requests with 0; only for users with the right to it',
        ),
      uuid: z.uuid().optional().describe('Your own id: submit again with the same id if you got no answer'),
      pageUuid: z.uuid().optional(),
    })
    .refine((input) => (input.pipeline === undefined) !== (input.stages === undefined), {
      error: 'give either a pipeline or a list of stages',
    })
    .refine((input) => input.output === undefined || input.pipeline !== undefined, {
      path: ['output'],
      error: 'is allowed only with a pipeline: the last name in a list of stages is the output queue',
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
      mayPrioritise: caller.mayPrioritise,
      credential: caller.credential,
      files: files.map(({ name, content = '', blob }) =>
        blob === undefined ? { name, content: Buffer.from(content, 'base64') } : { name, blob },
      ),
    });
    return { uuid, stages: processingStages };
  },
});

export const requestCancel = defineOperation({
  name: 'request.cancel',
  summary: 'Cancel a request, waiting or running: it goes to its output queue as failed',
  role: 'user',
  owner: async (context, { uuid }) => (await ownersOf(context, uuid))[0],
  changes: true,
  input: z.strictObject({ uuid: z.string().min(1).max(100).describe('As `request.submit` returned it') }),
  output: done,
  example: { uuid: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11' },
  async handler(context, { uuid }) {
    const { cancellations, database } = context.engine;
    const owners = await ownersOf(context, uuid);
    if (owners.length === 0) {
      const message = `there is no request ${uuid} under way, or its result was collected`;
      throw new PismakError('not-found', message);
    }
    await database.transaction(async (transaction) => {
      for (const owner of owners) await cancellations.add(transaction, { owner, names: [uuid] });
    });
    await cancellations.announce();
    return {};
  },
});

/** The owners of requests with this uuid that the caller may touch; two users may have chosen the same uuid. */
async function ownersOf({ engine, caller }: OperationContext, uuid: string): Promise<string[]> {
  return (await engine.openRequests.ownersOf(uuid)).filter((owner) => mayTouch(caller, owner));
}

export const requestOperations = [requestSubmit, requestCancel, requestFailed, requestShow];
