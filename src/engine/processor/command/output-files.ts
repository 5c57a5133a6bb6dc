import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isPlainPath } from '../../files/safe-names.ts';
import { PermanentFailure } from '../processor.ts';

/**
 * The files that a program left in its directory, by name. Links are not followed, and only plain files are opened; the
 * log names everything left out.
 */
export async function readOutput(
  directory: string,
  limits: { files: number; bytes: number },
  log: (line: string) => void,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  let bytes = 0;
  const walk = async (folder: string) => {
    const entries = await readdir(join(directory, folder), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (!isPlainPath(name)) log(`left out: out/${JSON.stringify(name)} is not an allowed file name`);
      else if (entry.isDirectory()) await walk(name);
      else if (!entry.isFile()) log(`left out: out/${name} is not a plain file`);
      else {
        if (found.size >= limits.files)
          throw new PermanentFailure(`the program wrote more than ${limits.files} files (OUTPUT_FILES)`);
        const content = await readPlain(join(directory, name), limits.bytes - bytes);
        bytes += content.length;
        found.set(name, content);
      }
    }
  };
  await walk('');
  return found;
}

async function readPlain(path: string, most: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await file.stat();
    if (size > most) throw new PermanentFailure('the program wrote more than OUTPUT_MB allows');
    return await file.readFile();
  } finally {
    await file.close();
  }
}
