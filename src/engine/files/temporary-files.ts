import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../time/clock.ts';
import { isLiving, pidSpace } from './living-process.ts';

const dayMs = 24 * 60 * 60 * 1000;
const host = `${encodeURIComponent(hostname())}.${pidSpace}`;

/** A name for a file being written; it identifies the writing process. */
export function temporaryName(): string {
  return `${host}~${process.pid}~${randomUUID()}`;
}

/** The same for a directory with other files: hidden, so that it is not mistaken for one of them. */
export function partName(): string {
  return `.${temporaryName()}.part`;
}

const partForm = /^\.([^~]+~\d+~[0-9a-f-]{36})\.part$/;

/** Like `removeLeftovers`, for names made by `partName`. Files that can't be removed stay: they do no harm. */
export async function removeParts(directory: string, clock: Clock): Promise<void> {
  await removeLeftovers(directory, clock, partForm).catch(() => {});
}

/** Removes the files of killed writers: at once if the process is dead, after a day if we can't check it. */
export async function removeLeftovers(directory: string, clock: Clock, form = /^(.*)$/): Promise<void> {
  for (const name of await readdir(directory)) {
    const [writerHost, pid, ...rest] = form.exec(name)?.[1]?.split('~') ?? [];
    if (rest.length !== 1) continue;
    const path = join(directory, name);
    const dead = writerHost === host && !isLiving(Number(pid));
    if (dead || clock.now() - (await lastWrite(path)) > dayMs)
      await rm(path, { recursive: true, force: true });
  }
}

/** Infinity for a file that has disappeared: its writer has finished. */
async function lastWrite(path: string): Promise<number> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
