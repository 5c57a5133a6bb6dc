import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../engine/clock.ts';
import { messageOf, PismakError } from '../engine/errors.ts';
import { newId } from '../engine/identity.ts';
import type { PlannedRequest } from './submit-requests.ts';

/** The files themselves, and those of directories: not of directories in them, and none that are hidden. */
export async function findFiles(paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch((error: unknown) => {
      throw new PismakError('invalid-input', `${path} can't be read: ${messageOf(error)}`, { cause: error });
    });
    if (!found.isDirectory()) files.push(path);
    else {
      const entries = await readdir(path, { withFileTypes: true });
      const names = entries
        .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
        .map(({ name }) => name);
      files.push(...names.sort().map((name) => join(path, name)));
    }
  }
  if (files.length === 0) throw new PismakError('invalid-input', `there are no files in ${paths.join(', ')}`);
  return files;
}

/** A request with one file, which is looked at only when its turn has come. */
export async function plannedFile(path: string, clock: Clock): Promise<PlannedRequest & { path: string }> {
  const { size } = await stat(path);
  return { uuid: newId(clock), name: basename(path), size, path, content: () => createReadStream(path) };
}
