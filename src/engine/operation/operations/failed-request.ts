import { z } from 'zod';
import { mayTouch } from '../../ground/caller.ts';
import { PismakError } from '../../ground/errors.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { page } from './inputs.ts';

const failure = {
  uuid: z.string(),
  owner: z.string().describe('Empty: a program that names no user'),
  stage: z.string().describe('In which it failed'),
  pipeline: z.string().describe('Empty if it was given stages'),
  batch: z.string().describe('What it belongs to, e.g. a document; may be empty'),
  outcome: z
    .enum(['output', 'dead'])
    .describe('output: it went to its output queue as failed; dead: it became a dead letter'),
  queue: z.string().describe('Where it went'),
  message: z.string().describe('Id of its message; of a dead letter, queue.redrive takes it'),
  attempt: z.int(),
  reason: z.string(),
  startedAt: z.number().nullable(),
  failedAt: z.number(),
};
const failureRow = z.strictObject(failure);
const aPart = z.string().min(1).max(200);

export const requestFailed = defineOperation({
  audited: true,
  name: 'request.failed',
  heavy: 'read',
  summary:
    'List your requests that failed within the last 7 days, newest first; administrators see everybody’s',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    stage: aPart.optional().describe('Only requests that failed in this stage'),
    owner: z.string().max(200).optional().describe('Only requests of this user'),
    batch: aPart.optional().describe('Only requests of this document or campaign'),
    outcome: failure.outcome.optional(),
    reason: aPart.optional().describe('Only requests with this in their reason'),
    text: aPart.optional().describe('Only requests with this in their uuid, reason or log'),
    since: z.number().optional().describe('Only requests that failed at or after this time'),
    before: z.number().optional().describe('Only requests that failed before this time'),
    offset: page.offset,
    limit: page.limit.unwrap().max(200).default(50),
  }),
  output: z.strictObject({
    requests: z.array(failureRow),
    total: z.int().describe('Requests that match, on all pages of the list'),
  }),
  example: { stage: 'recognise' },
  async handler({ engine, caller }, { offset, limit, ...filter }) {
    if (filter.owner !== undefined && !mayTouch(caller, filter.owner)) return { requests: [], total: 0 };
    const { listFailures } = await import('../../request/failed-requests.ts');
    const owner = caller.role === 'admin' ? filter.owner : caller.name;
    const window = { now: engine.clock.now(), offset, limit };
    const { rows, total } = await listFailures(engine.database.query, { ...filter, owner }, window);
    return { requests: rows.map((row) => failureRow.parse(row)), total };
  },
});

export const requestShow = defineOperation({
  name: 'request.show',
  summary: 'Show why a request failed: its log, and its way through the stages',
  role: 'reader',
  owner: async (context, { uuid }) => (await failuresOf(context, uuid))[0]?.owner,
  changes: false,
  input: z.strictObject({ uuid: z.string().min(1).max(200).describe('Of a request from request.failed') }),
  output: z.strictObject({
    ...failure,
    stages: z
      .array(z.string())
      .max(1000)
      .describe('Those that were left, and the output queue; the first one failed'),
    files: z.array(z.strictObject({ name: z.string(), size: z.number() })).max(50),
    logs: z
      .array(
        z.strictObject({
          stage: z.string(),
          version: z.number(),
          worker: z.string(),
          attempt: z.number(),
          startedAt: z.number().nullable(),
          endedAt: z.number().nullable(),
          status: z.string(),
          log: z.string().describe('Its end, if all logs together have more than 32,768 characters'),
        }),
      )
      .max(100)
      .describe('One entry for each stage that it went through, in order'),
  }),
  example: { uuid: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11' },
  async handler(context, { uuid }) {
    const [found] = await failuresOf(context, uuid);
    if (found) return { ...found, outcome: failure.outcome.parse(found.outcome) };
    const message = `no request ${uuid} has failed within the last 7 days`;
    throw new PismakError('not-found', message);
  },
});

/** Failures of requests with this uuid that the caller may see. */
async function failuresOf({ engine, caller }: OperationContext, uuid: string) {
  const { findFailures } = await import('../../request/failed-requests.ts');
  const found = await findFailures(engine.database.query, uuid, engine.clock.now());
  return found.filter(({ owner }) => mayTouch(caller, owner));
}
