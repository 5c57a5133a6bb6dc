import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { startWorker } from '../testing/start-worker.ts';
import { changeWorker, listWorkers } from './worker-record.ts';

test('a worker tells from when to when it served nothing because it switched', async (t) => {
  const embedded = await openEmbedded(t);
  const { coordination, stages } = embedded;
  for (const name of ['a', 'b']) await stages.create({ name, processor: 'nothing' }, 'test');
  await startWorker(t, embedded);

  const switchTo = async (stage: string) => {
    const before = Date.now();
    await changeWorker(coordination, 'w', (record) => ({ ...record, stage }));
    const found = await eventually(`it serves ${stage}`, async () => {
      const [view] = await listWorkers(coordination);
      return view?.presence?.stage === stage && view.presence.lastSwitch;
    });
    assert.ok(found.from >= before);
    assert.ok(found.to !== null && found.to >= found.from && found.to <= Date.now());
    return found;
  };
  const first = await switchTo('a');
  const second = await switchTo('b');
  assert.ok(second.from >= (first.to ?? 0));
});
