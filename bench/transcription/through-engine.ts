import { readBlob } from '../../src/engine/blobs/blobs.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { decodeRequest } from '../../src/engine/request/request.ts';
import { submitRequest } from '../../src/engine/request/submit.ts';
import { hasFailed } from '../../src/engine/results/timing.ts';
import { runServices } from '../../src/engine/run-services.ts';
import { settingsSchema } from '../../src/engine/settings/settings.ts';
import { transcriptionProcessors } from '../../src/transcription/documents/stages.ts';
import { files } from '../../src/transcription/page/files.ts';
import { type Page, page as pageSchema } from '../../src/transcription/page/page.ts';
import { scratchDirectory } from '../engine/scratch.ts';
import { secondsSince } from '../engine/work.ts';
import type { SamplePage } from './sample-pages.ts';

const output = 'bench.read';

export interface EngineReader {
  /** Seconds from the first submission until the last page is in the output queue, durably. */
  read(pages: readonly SamplePage[]): Promise<{ seconds: number; read: Page[] }>;
  close(): Promise<void>;
}

/** The embedded tier as `npm start` runs it, with the stage `recognise` alone. */
export async function openEngineReader(workers: number): Promise<EngineReader> {
  const settings = settingsSchema.parse({ data: scratchDirectory(), log: { level: 'error' } });
  const options = { purpose: 'bench', processors: transcriptionProcessors, console: console.error };
  const engine = await openEngine(settings, options);
  await engine.stages.create(
    { name: 'recognise', processor: 'recognise', config: 'ENGINE = tesseract' },
    'bench',
  );
  const services = runServices(engine);
  for (let count = 0; count < workers; count++) await engine.workers.start();
  const arrived = new Map<string, Uint8Array>();
  let complete = () => {};
  let expected = Number.POSITIVE_INFINITY;
  await engine.broker.declare(output);
  const consumer = await engine.broker.consume(output, { concurrency: 10 }, async (delivery) => {
    arrived.set(delivery.id, delivery.body);
    await delivery.ack();
    if (arrived.size === expected) complete();
  });

  return {
    async read(pages) {
      const all = Promise.withResolvers<void>();
      arrived.clear();
      expected = pages.length;
      complete = all.resolve;
      const started = performance.now();
      const uuids: string[] = [];
      for (const { image } of pages) {
        const given = { files: [{ name: files.source, content: image }], stages: ['recognise', output] };
        uuids.push((await submitRequest(engine, { ...given, owner: 'bench', role: 'admin' })).uuid);
      }
      await all.promise;
      const seconds = secondsSince(started);
      const requests = [...arrived.values()].map(decodeRequest);
      const read = uuids.map(async (uuid) => {
        const request = requests.find((each) => each.uuid === uuid);
        const file = request?.results.find(({ name }) => name === files.page);
        if (!request || !file || hasFailed(request))
          throw new Error(`a page failed: ${request?.logs.at(-1)?.log}`);
        const content = file.blob === '' ? file.content : await readBlob(engine.blobs, file.blob);
        return pageSchema.parse(JSON.parse(Buffer.from(content).toString()));
      });
      return { seconds, read: await Promise.all(read) };
    },
    async close() {
      await consumer.close();
      await engine.workers.close();
      await services.close();
      await engine.close();
    },
  };
}
