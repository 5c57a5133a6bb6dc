import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PismakError } from '../../ground/errors.ts';
import { arbitraryInput } from '../../testing/arbitrary-input.ts';
import { admin, alice, openOperations, reader } from '../../testing/call-operations.ts';
import { writeWorker } from '../../testing/worker-nodes.ts';
import { engineOperations } from './index.ts';

const { engine, call } = await openOperations();

/** What the examples speak of, anew for each run: the one before may have deleted it. */
async function makeExamples(): Promise<void> {
  const { broker, coordination } = engine;
  await writeWorker(coordination, 'w1');
  const making = [
    call('stage.create', { name: 'recognise', processor: 'nothing' }),
    call('pipeline.create', { name: 'pages', stages: ['recognise', 'pages-done'] }, alice),
    call('schedule.create', engineOperations.find(({ name }) => name === 'schedule.create')?.example),
    broker.publish('recognise', { id: 'poison', body: Buffer.from([255]) }),
    broker.publish('pages-done', { id: 'poison', body: Buffer.from([255]) }),
  ];
  await Promise.allSettled(making);
}

/** These reach outside: the first writes files to any path, the other starts workers. */
const outside = ['backup.create', 'worker.start'];
const names = ['recognise', 'pages-done', 'pages', 'w1', 'nothing', 'nightly', 'another'];

const step = fc
  .constantFrom(...engineOperations.filter(({ name }) => !outside.includes(name)))
  .chain((operation) =>
    fc.record({
      name: fc.constant(operation.name),
      input: arbitraryInput(operation, names),
      by: fc.constantFrom(admin, admin, admin, alice, reader),
    }),
  );

test('whatever is asked, the answer is sound or an error that says what is wrong', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      await makeExamples();
      for (const { name, input, by } of steps) {
        // Waiting for results that never come would only take time.
        const waits = typeof input === 'object' && input !== null && 'waitMs' in input;
        await call(name, waits ? { ...input, waitMs: 0 } : input, by).catch((error: unknown) => {
          assert.ok(error instanceof PismakError && error.code !== 'internal', explain(name, input, error));
        });
      }
      for (const { name, input, changes } of engineOperations) {
        if (!changes && input.safeParse({}).success) await call(name);
      }
    }),
    { numRuns: 60 },
  );
});

function explain(name: string, input: unknown, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return `${name} ${JSON.stringify(input)}: ${error} ${cause instanceof Error ? cause.stack : ''}`;
}
