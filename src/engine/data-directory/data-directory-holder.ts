import { rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { isLiving } from '../files/living-process.ts';
import { readJson } from '../files/read-json.ts';
import { isSystemError } from '../files/system-error.ts';
import { PismakError } from '../ground/errors.ts';
import { isLocked } from './directory-lock.ts';

/** The process that holds a data directory, as it describes itself in `holder.json`. */
const holderSchema = z.object({
  pid: z.int(),
  host: z.string(),
  startedAt: z.number(),
  /** What it does with the directory, in words. */
  purpose: z.string(),
  url: z.string().optional(),
  /** A secret for local commands that act through the holder. */
  token: z.string().optional(),
});
export type Holder = z.infer<typeof holderSchema>;

/** The process that holds the data directory now; undefined if none does, whatever an old file says. */
export async function readHolder(path: string): Promise<Holder | undefined> {
  const directory = resolve(path);
  for (let attempt = 0; attempt < 20 && looksLocked(directory); attempt++) {
    const holder = holderSchema.safeParse(await readJson(fileOf(directory))).data;
    if (holder && (holder.host !== hostname() || isLiving(holder.pid))) return holder;
    // It has just taken the lock and will write the file soon.
    await wait(25);
  }
  return undefined;
}

/** Another user's directory is closed to us. */
function looksLocked(directory: string): boolean {
  try {
    return isLocked(directory);
  } catch (cause) {
    if (!isSystemError(cause, 'EACCES')) throw cause;
    const message = `The data directory ${directory} cannot be used: permission is denied; it may belong to another user. Choose another with --data.`;
    throw new PismakError('configuration-invalid', message, { cause });
  }
}

export async function writeHolder(directory: string, holder: Holder): Promise<void> {
  const next = `${fileOf(directory)}.new`;
  await rm(next, { force: true });
  await writeFile(next, JSON.stringify(holder), { mode: 0o600, flag: 'wx' });
  await rename(next, fileOf(directory));
}

export async function removeHolder(directory: string): Promise<void> {
  await rm(fileOf(directory), { force: true });
}

function fileOf(directory: string): string {
  return join(directory, 'holder.json');
}
