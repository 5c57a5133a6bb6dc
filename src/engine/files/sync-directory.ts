import { open } from 'node:fs/promises';

/** A new or renamed file survives power loss only when its directory has been synced too. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  await directory.sync().finally(() => directory.close());
}
