import { z } from 'zod';
import { mayTouch } from '../../ground/caller.ts';
import { PismakError } from '../../ground/errors.ts';
import { programOwner } from '../../stage/program-owner.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { namer, queueName } from './inputs.ts';

const receiptList = z.array(z.string().min(1).max(100)).max(1000);

export const resultsTake = defineOperation({
  name: 'results.take',
  // More than the maximum of `waitMs`.
  deadlineMs: 60_000,
  summary:
    'Take finished requests from an output queue; confirm each within a minute, or it returns to the queue',
  role: 'user',
  owner: async ({ engine, caller }, { queue }) =>
    (await engine.pipelines.findOutput(queue, namer(caller)))?.owner,
  changes: true,
  // Clients poll for results.
  audited: false,
  input: z.strictObject({
    queue: queueName,
    max: z.int().min(1).max(100).default(10),
    waitMs: z.int().min(0).max(30_000).default(0).describe('How long to wait for the first result'),
  }),
  output: z.strictObject({
    results: z.array(
      z.strictObject({
        receipt: z.string(),
        uuid: z.string().nullable().describe('Null if the message is not a request'),
        message: z
          .string()
          .describe(
            'The request as protobuf in base64; large files are references, to be fetched with the receipt',
          ),
      }),
    ),
  }),
  example: { queue: 'pages-done', max: 10 },
  async handler({ engine, caller, signal }, { queue, max, waitMs }) {
    const output = await engine.pipelines.findOutput(queue, namer(caller));
    if (output?.owner === programOwner) {
      const message = `Pismak itself takes the results from ${queue}; look into it with \`pismak queue peek ${queue}\``;
      throw new PismakError('forbidden', message);
    }
    if (!output) {
      throw new PismakError(
        'queue-unknown',
        `there is no output queue ${queue}; \`pismak queue ls\` lists them`,
      );
    }
    const taken = await engine.pickup.take(output.name, max, waitMs, signal);
    const results = taken.map(({ receipt, request, body }) => ({
      receipt,
      uuid: request?.uuid ?? null,
      message: Buffer.from(body).toString('base64'),
    }));
    return { results };
  },
});

const settling = {
  ...({ role: 'user', owner: 'caller', changes: true, audited: false } as const),
  input: z.strictObject({ receipts: receiptList }),
  example: { receipts: ['dGhpcyBpcyBhIHJlY2VpcHQ'] },
};

const unknown = z.array(z.string()).describe('Receipts that expired, were settled before, or never existed');

export const resultsConfirm = defineOperation({
  ...settling,
  name: 'results.confirm',
  summary: 'Confirm that you have stored results: they leave their queue, and their files may be deleted',
  output: z.strictObject({ confirmed: z.array(z.string()), unknown }),
  async handler(context, { receipts }) {
    const { own, foreign } = await sort(context, receipts);
    const { settled, unknown } = await context.engine.pickup.confirm(own);
    return { confirmed: settled, unknown: [...unknown, ...foreign] };
  },
});

export const resultsRelease = defineOperation({
  ...settling,
  name: 'results.release',
  summary: 'Return results to their queue at once',
  output: z.strictObject({ released: z.array(z.string()), unknown }),
  async handler(context, { receipts }) {
    const { own, foreign } = await sort(context, receipts);
    const { settled, unknown } = await context.engine.pickup.release(own);
    return { released: settled, unknown: [...unknown, ...foreign] };
  },
});

/** Receipts can't be guessed, but may leak: for callers other than the queue's owner they do not exist. */
async function sort(
  { engine, caller }: OperationContext,
  receipts: readonly string[],
): Promise<{ own: string[]; foreign: string[] }> {
  const own: string[] = [];
  const foreign: string[] = [];
  const allowed = new Map<string, boolean>();
  for (const receipt of new Set(receipts)) {
    const queue = engine.pickup.find(receipt)?.queue;
    if (queue !== undefined && !allowed.has(queue)) {
      const owner = await engine.pipelines.outputOwner(queue);
      allowed.set(queue, caller.role === 'admin' || (owner !== undefined && mayTouch(caller, owner)));
    }
    (queue === undefined || allowed.get(queue) ? own : foreign).push(receipt);
  }
  return { own, foreign };
}

export const resultsOperations = [resultsTake, resultsConfirm, resultsRelease];
