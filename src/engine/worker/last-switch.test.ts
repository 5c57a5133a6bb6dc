import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEmbedded } from '../testing/embedded.ts';
import { eventually } from '../testing/eventually.ts';
import { changeWorker, listWorkers } from '../worker-record.ts';
import { Worker } from './worker.ts';

test('a worker tells from when to when it served nothing because it switched', async (t) => {
  const embedded = await openEmbedded(t);
  const { coordination, directory, stages } = embedded;
  for (const name of ['a', 'b']) await stages.create({ name, processor: 'nothing' }, 'test');
  const worker = new Worker(
    {
      ...embedded,
      blobsUrl: `directory:${join(directory, 'blobs')}`,
      cacheDirectory: join(directory, 'cache'),
    },
    { id: 'w', labels: [] },
  );
  await worker.start();
  t.after(() => worker.close());

  const switchTo = async (stage: string) => {
    const before = Date.now();
    await changeWorker(coordination, 'w', (record) => ({ ...record, stage }));
    const found = await eventually(
      `it serves ${stage}`,
      async () => {
        const [view] = await listWorkers(coordination);
        return view?.presence?.stage === stage && view.presence.lastSwitch;
      },
      30_000,
    );
    assert.ok(found.from >= before);
    assert.ok(found.to !== null && found.to >= found.from && found.to <= Date.now());
    return found;
  };
  const first = await switchTo('a');
  const second = await switchTo('b');
  assert.ok(second.from >= (first.to ?? 0));
});
