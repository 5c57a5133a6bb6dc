import { join } from 'node:path';
import { Worker } from '../worker/worker.ts';
import type { openEmbedded } from './embedded.ts';

/** A worker `w` on the embedded tier, closed at the end of the test. */
export async function startWorker(
  test: { after(work: () => Promise<void>): void },
  embedded: Awaited<ReturnType<typeof openEmbedded>>,
): Promise<Worker> {
  const { directory } = embedded;
  const places = {
    blobsUrl: `directory:${join(directory, 'blobs')}`,
    cacheDirectory: join(directory, 'cache'),
  };
  const worker = new Worker({ ...embedded, ...places }, { id: 'w', labels: [] });
  await worker.start();
  test.after(() => worker.close());
  return worker;
}
