import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { writeWorker } from '../testing/worker-nodes.ts';
import { ManualClock } from '../time/clock.ts';
import { readTrace } from '../trace/trace-store.ts';
import { runWatchdog } from './watchdog.ts';

test('the watchdog reports what it sees as events, and stores it when it ends', async (t) => {
  const clock = new ManualClock();
  const from = clock.now();
  const embedded = await openEmbedded(t, { clock });
  await embedded.stages.create({ name: 'ocr', processor: 'nothing' }, 'test');
  await embedded.broker.publish('ocr', { id: '1', body: Buffer.from('') });
  await writeWorker(embedded.coordination, 'w', { stage: 'ocr' }, { stage: 'ocr', state: 'PROCESSING' });
  const watchdog = runWatchdog(embedded);
  t.after(() => watchdog.close());

  await eventually('the stopped worker is reported', async () => {
    // Stay in step with the watchdog, however slow the disk is: it must not seem to have slept.
    await embedded.database.query.selectFrom('trace').select('id').execute();
    clock.advance(20);
    const told = embedded.events.recent({ kind: 'worker.state' });
    if (told.length === 1) await writeWorker(embedded.coordination, 'w', { leftAt: clock.now() }, null);
    return told.length === 2;
  });
  await watchdog.close();
  const trace = await readTrace(embedded.database, { from, to: clock.now() + 1 });
  assert.deepEqual(
    trace.workers.map(({ id, spans }) => [id, spans.map(({ kind, stage }) => `${kind} ${stage}`)]),
    [['w', ['serving ocr']]],
  );
  assert.equal(trace.queues[0]?.points[0]?.length, 1);
});
