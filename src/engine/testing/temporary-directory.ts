import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new empty directory that is removed at the end of the test. */
export async function temporaryDirectory(test: { after(work: () => Promise<void>): void }): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pismak-test-'));
  test.after(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}
