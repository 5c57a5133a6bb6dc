import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openOperations, reader } from '../../testing/call-operations.ts';
import { writePeriod } from '../../trace/trace-store.ts';

const { engine, call } = await openOperations();

test('a reader sees what is known of the last hour, or the time that it asks for', async () => {
  const now = engine.clock.now();
  const nothing = await call('trace.show', {}, reader);
  assert.equal(nothing.to - nothing.from, 3_600_000);
  const dimensions = { state: 'PROCESSING', stage: 'ocr' };
  const events = [{ kind: 'worker.state', entity: 'w', at: now - 60_000, dimensions }];
  await writePeriod(engine, { since: now - 60_000, until: now - 1000, whole: true, events });
  const { from, workers } = await call('trace.show', {}, reader);
  assert.equal(from, now - 60_000);
  assert.deepEqual(workers, [
    { id: 'w', spans: [{ from: now - 60_000, to: now - 1000, stage: 'ocr', kind: 'serving' }] },
  ]);
  const earlier = await call('trace.show', { from: now - 90_000, to: now - 60_000 }, reader);
  assert.deepEqual([earlier.workers, earlier.to - earlier.from], [[], 30_000]);
});

test('a trace that ends before it begins is refused', async () => {
  await assert.rejects(call('trace.show', { from: 10, to: 5 }), {
    code: 'invalid-input',
    message: /end after/,
  });
});
