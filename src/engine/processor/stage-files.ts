import type { Setup } from './processor.ts';

/** Local copies of all files of the stage: name to path. */
export async function readStageFiles(setup: Setup): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of setup.files) found.set(name, await setup.file(name));
  return found;
}
