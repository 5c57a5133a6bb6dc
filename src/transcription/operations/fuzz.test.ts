import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PismakError } from '../../engine/ground/errors.ts';
import { arbitraryInput } from '../../engine/testing/arbitrary-input.ts';
import { putFor } from '../../engine/testing/put-for.ts';
import { admin, anna, bert, runHouse } from '../testing/running-transcription.ts';
import { transcriptionOperations } from './index.ts';

test('any input to a document operation gets a valid answer or a clear error', async (t) => {
  const { call, engine, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'žluťoučký kůň\fpage' });
  await reaches(document, 'done');
  const { upload } = await call('upload.create');
  const { hash } = await putFor(engine, 'anna', Buffer.from('a source'));
  const names = [document, upload, hash, 'transcription', 'kůň', 'key:anna-1', '2026-01', 'ces', 'a\0b'];
  const step = fc
    .constantFrom(...transcriptionOperations.filter((one) => 'handler' in one))
    .chain((operation) =>
      fc.record({
        name: fc.constant(operation.name),
        input: arbitraryInput(operation, names),
        by: fc.constantFrom(admin, anna, anna, bert),
      }),
    );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      for (const { name, input, by } of steps) {
        await call(name, input as object, by).catch((error: unknown) => {
          const sound = error instanceof PismakError && error.code !== 'internal';
          assert.ok(sound, `${name} ${JSON.stringify(input)}: ${error} ${(error as Error).cause}`);
        });
      }
    }),
    { numRuns: 40 },
  );
});
