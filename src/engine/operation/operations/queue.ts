import { z } from 'zod';
import type { Broker, DeadLetterFilter, StoredMessage } from '../../broker/broker.ts';
import type { Engine } from '../../composition/engine.ts';
import { PismakError } from '../../ground/errors.ts';
import { programOwner } from '../../stage/program-owner.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { cut, namer, page, queueName } from './inputs.ts';
import { messageRow } from './message-row.ts';
import { done, queueRow } from './rows.ts';
import { mostSearched, searchWaiting } from './search-waiting.ts';
import { visibleQueues } from './visible-queues.ts';

export const queueList = defineOperation({
  name: 'queue.ls',
  summary:
    'List the queues with the numbers of their messages: the queues of all stages and your output queues',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject(page),
  output: z.strictObject({ queues: z.array(queueRow) }),
  example: {},
  handler: async (context, part) => ({ queues: cut(await visibleQueues(context), part) }),
});

const lookInput = z.strictObject({
  queue: queueName,
  offset: page.offset,
  limit: page.limit.unwrap().max(100).default(20),
  bodies: z.boolean().default(false).describe('Include the bodies, as base64'),
});
const part = z.string().min(1).max(200);
const ofOwner = z
  .string()
  .max(200)
  .optional()
  .describe('Only messages of this user; empty: only those that name no user');
const withText = part
  .optional()
  .describe(
    'Only messages with this in their id, headers or history, or, as it is written here, in their body',
  );

/** What dead letters a call means. */
const letterFilter = {
  reason: part.optional().describe('Only letters that failed for a reason that contains this'),
  owner: ofOwner,
  since: z.number().optional().describe('Only letters that failed at or after this time'),
  before: z
    .number()
    .optional()
    .describe(
      'Only letters that failed before this time. Pass the time from queue.dead to change exactly those it counted',
    ),
  text: withText,
};

export const queuePeek = defineOperation({
  audited: true,
  name: 'queue.peek',
  heavy: 'work',
  summary: 'Show waiting messages in the order of delivery, without taking them',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ ...lookInput.shape, owner: ofOwner, text: withText }),
  output: z.strictObject({
    messages: z.array(messageRow),
    waiting: z
      .int()
      .nullable()
      .describe('Messages that wait in the queue, delayed ones included; null if nothing was searched for'),
    searched: z
      .int()
      .nullable()
      .describe(
        `How many of them were searched: the first ${mostSearched}; null if nothing was searched for`,
      ),
  }),
  example: { queue: 'recognise', limit: 5 },
  async handler({ engine, signal }, { queue, bodies, owner, text, ...part }) {
    if (owner === undefined && text === undefined) {
      const messages = await engine.broker.peek(queue, part);
      return { messages: await toRows(messages, bodies), waiting: null, searched: null };
    }
    const { ready, delayed } = await engine.broker.status(queue);
    const page = { ...part, signal };
    const { messages, searched } = await searchWaiting(engine.broker, queue, { owner, text }, page);
    const waiting = Math.max(ready.high + ready.normal + delayed, searched);
    return { messages: await toRows(messages, bodies), waiting, searched };
  },
});

export const queueDead = defineOperation({
  audited: true,
  name: 'queue.dead',
  heavy: 'work',
  summary: 'List and count dead letters with their reasons, oldest first: all, or those that match',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: z.strictObject({ ...lookInput.shape, ...letterFilter }),
  output: z.strictObject({
    messages: z.array(messageRow),
    count: z.int().describe('Letters that match, on all pages of the list'),
    before: z
      .number()
      .describe('They failed before this time; with it and the same filter, redrive or discard them'),
  }),
  example: { queue: 'recognise' },
  async handler({ engine, signal }, { queue, bodies, offset, limit, ...filter }) {
    const page = { offset, limit };
    // What fails from now on is not counted.
    const before = Math.min(filter.before ?? Number.POSITIVE_INFINITY, engine.clock.now() + 1);
    if (isAll(filter)) {
      const { dead } = await engine.broker.status(queue);
      return { messages: await toRows(await engine.broker.dead(queue, page), bodies), count: dead, before };
    }
    const found = await engine.broker.findDead(queue, { ...filter, before }, { ...page, signal });
    return { messages: await toRows(found.messages, bodies), count: found.count, before };
  },
});

async function toRows(messages: readonly StoredMessage[], bodies: boolean) {
  const { messageRows } = await import('./message-rows.ts');
  return messageRows(messages, bodies);
}

const count = z.strictObject({ count: z.int() });
const changing = { role: 'admin', owner: 'none', changes: true, example: { queue: 'recognise' } } as const;
const ids = z
  .array(z.string().min(1).max(400))
  .min(1)
  .max(1000)
  .optional()
  .describe('Only letters with these ids');
const chosenLetters = z
  .strictObject({ queue: queueName, ids, ...letterFilter })
  .refine(({ queue: _, ids, ...filter }) => ids === undefined || isAll(filter), {
    path: ['ids'],
    error: 'give either ids or a filter',
  });

function isAll(filter: DeadLetterFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}

function chosen({ ids, ...filter }: DeadLetterFilter & { ids?: string[] | undefined }) {
  return isAll(filter) ? ids : filter;
}

export const queuePurge = defineOperation({
  ...changing,
  name: 'queue.purge',
  heavy: 'work',
  deadlineMs: 600_000,
  summary:
    'Delete all waiting messages, and what waits in the backlog for this queue; messages in progress go on',
  input: z.strictObject({ queue: queueName }),
  output: count,
  handler: (context, { queue }) =>
    counted(context, queue, async (broker) => {
      // The backlog first: otherwise it would refill the queue.
      const waiting = await context.engine.backlog.purge(queue);
      return waiting + (await broker.purge(queue));
    }),
});

export const queueRedrive = defineOperation({
  ...changing,
  name: 'queue.redrive',
  heavy: 'work',
  deadlineMs: 600_000,
  summary: 'Put dead letters back into their queue to be tried again: all, those ids, or those that match',
  input: chosenLetters,
  output: count,
  handler: (context, { queue, ...which }) =>
    counted(context, queue, (broker) => broker.redrive(queue, chosen(which), context)),
});

export const queueDiscard = defineOperation({
  ...changing,
  name: 'queue.discard',
  heavy: 'work',
  deadlineMs: 600_000,
  summary: 'Delete dead letters: all, those ids, or those that match',
  input: chosenLetters,
  output: count,
  handler: (context, { queue, ...which }) =>
    counted(context, queue, (broker) => broker.discard(queue, chosen(which), context)),
});

async function counted(
  { engine }: OperationContext,
  queue: string,
  change: (broker: Broker) => Promise<number>,
): Promise<{ count: number }> {
  const changed = await change(engine.broker);
  await tellChange(engine, queue);
  return { count: changed };
}

export const queuePause = pausing('pause', 'Pause a queue: it accepts messages but delivers none');
export const queueResume = pausing('resume', 'Resume a paused queue');

function pausing(verb: 'pause' | 'resume', summary: string) {
  return defineOperation({
    ...changing,
    name: `queue.${verb}`,
    summary,
    input: z.strictObject({ queue: queueName }),
    output: done,
    async handler({ engine }, { queue }) {
      await engine.broker[verb](queue);
      await tellChange(engine, queue);
      return {};
    },
  });
}

export const queueDelete = defineOperation({
  name: 'queue.delete',
  summary: 'Delete an output queue with the results in it; refused while requests go there, unless forced',
  role: 'user',
  owner: async ({ engine, caller }, { queue }) =>
    (await engine.pipelines.findOutput(queue, namer(caller)))?.owner,
  changes: true,
  input: z.strictObject({
    queue: queueName,
    force: z
      .boolean()
      .default(false)
      .describe('Even if results wait in it, pipelines end in it, or requests go there; those are cancelled'),
  }),
  output: z.strictObject({ results: z.int().describe('Results that were deleted with it') }),
  example: { queue: 'pages-done' },
  async handler({ engine, caller }, { queue, force }) {
    const { deleteOutputQueue } = await import('../../results/delete-output-queue.ts');
    const output = await engine.pipelines.findOutput(queue, namer(caller));
    if (!output) {
      const message = `there is no output queue ${queue}; the queue of a stage is deleted with the stage`;
      throw new PismakError('queue-unknown', message);
    }
    return { results: await deleteOutputQueue(engine, output.name, force) };
  },
});

/** The owner of the queue learns of the change; for a queue without an owner, only administrators do. */
async function tellChange(engine: Engine, queue: string): Promise<void> {
  const owner = (await engine.pipelines.outputOwner(queue)) ?? programOwner;
  const ofStage = (await engine.stages.list()).some(({ name }) => name === queue);
  engine.changes.add({ kind: 'queue', entity: queue, ...(!ofStage && { owner }) });
}

export const queueOperations = [
  queueList,
  queuePeek,
  queuePurge,
  queuePause,
  queueResume,
  queueDead,
  queueRedrive,
  queueDiscard,
  queueDelete,
];
