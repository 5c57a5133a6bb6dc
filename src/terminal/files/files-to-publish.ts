import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { Clock } from '../../engine/time/clock.ts';
import type { Sink } from '../output/output.ts';
import { printable } from '../output/printable.ts';
import type { PlannedRequest } from '../results/submit-requests.ts';

/**
 * The named files, and the files directly inside the named directories. Skips hidden files, and reports skipped
 * subdirectories on `stderr`.
 */
export async function findFiles(paths: readonly string[], stderr?: Sink): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch((error: unknown) => {
      throw new PismakError('invalid-input', `${path} can't be read: ${reasonOf(error)}`, { cause: error });
    });
    if (!found.isDirectory()) files.push(path);
    else {
      const { names, others } = await filesIn(path);
      files.push(...names.sort().map((name) => join(path, name)));
      if (others.length > 0) {
        const some = `${others.slice(0, 3).join(', ')}${others.length > 3 ? ', ...' : ''}`;
        stderr?.write(
          `${printable(`skipped in ${path}, because they are not files: ${some}`)}; to include the files of a directory, name it too\n`,
        );
      }
    }
  }
  if (files.length === 0) throw new PismakError('invalid-input', `no files found in ${paths.join(', ')}`);
  return files;
}

async function filesIn(directory: string): Promise<{ names: string[]; others: string[] }> {
  const names: string[] = [];
  const others: string[] = [];
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    // A link to a file counts as a file.
    const found = entry.isSymbolicLink()
      ? await stat(join(directory, entry.name)).catch(() => undefined)
      : entry;
    (found?.isFile() ? names : others).push(entry.name);
  }
  return { names, others };
}

/** A request with one file, which is read only when the request is sent. */
export async function plannedFile(path: string, clock: Clock): Promise<PlannedRequest & { path: string }> {
  const { size } = await stat(path);
  return { uuid: newId(clock), name: basename(path), size, path, content: () => createReadStream(path) };
}
