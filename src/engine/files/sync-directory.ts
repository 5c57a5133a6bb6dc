import { open } from 'node:fs/promises';

/** Syncs a directory: only then does a new or renamed file in it survive power loss. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
}
