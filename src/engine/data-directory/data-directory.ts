import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../files/make-directory.ts';
import { reasonOf } from '../files/system-error.ts';
import { PismakError } from '../ground/errors.ts';
import { type Clock, systemClock } from '../time/clock.ts';
import { type Holder, readHolder, removeHolder, writeHolder } from './data-directory-holder.ts';
import { lockDirectory } from './directory-lock.ts';
import { makePrivate } from './private-directory.ts';

export { type Holder, readHolder } from './data-directory-holder.ts';

/** The only place where an embedded installation keeps its state. It belongs to one process at a time. */
export interface DataDirectory {
  readonly path: string;
  readonly queuesFile: string;
  readonly databaseFile: string;
  readonly blobs: string;
  readonly logs: string;
  readonly cache: string;
  /** Tells other processes of this user how to reach us. */
  publishHolder(more: { url?: string; token?: string }): Promise<void>;
  close(): Promise<void>;
}

/** Creates the directory if needed and takes it. Throws `data-directory-in-use` if another process has it. */
export async function openDataDirectory(
  path: string,
  options: { purpose: string; clock?: Clock },
): Promise<DataDirectory> {
  const { purpose, clock = systemClock } = options;
  const directory = resolve(path);
  const folders = {
    blobs: join(directory, 'blobs'),
    logs: join(directory, 'logs'),
    cache: join(directory, 'cache'),
  };
  const release = await take(directory, Object.values(folders));
  if (!release) throw await inUse(directory);

  let holder: Holder = { pid: process.pid, host: hostname(), startedAt: clock.now(), purpose };
  let closed = false;
  try {
    await writeHolder(directory, holder);
  } catch (error) {
    release();
    throw unusable(directory, error);
  }
  return {
    path: directory,
    queuesFile: join(directory, 'queues.db'),
    databaseFile: join(directory, 'pismak.db'),
    ...folders,
    async publishHolder(more) {
      holder = { ...holder, ...more };
      await writeHolder(directory, holder);
    },
    async close() {
      if (closed) return;
      closed = true;
      await removeHolder(directory);
      release();
    },
  };
}

/** Only this user may read the content (passwords, keys, mails, documents). */
async function take(directory: string, folders: string[]): Promise<(() => void) | undefined> {
  try {
    await makePrivate(directory);
    for (const folder of folders) await makeDirectory(folder, { mode: 0o700 });
    return lockDirectory(directory);
  } catch (error) {
    throw unusable(directory, error);
  }
}

function unusable(directory: string, cause: unknown): PismakError {
  const path = cause instanceof Error && 'path' in cause ? String(cause.path) : directory;
  const place = path === directory ? '' : `${path}: `;
  const message = `The data directory ${directory} cannot be used: ${place}${reasonOf(cause)}. Choose another with --data.`;
  return new PismakError('configuration-invalid', message, { cause });
}

async function inUse(directory: string): Promise<PismakError> {
  const holder = await readHolder(directory);
  if (!holder) {
    return new PismakError(
      'data-directory-in-use',
      `The data directory ${directory} is in use by another process. \`fuser -v ${join(directory, 'lock')}\` shows which.`,
    );
  }
  const { pid, host, startedAt, purpose, url } = holder;
  const address = url ? `, reachable at ${url}` : '';
  return new PismakError(
    'data-directory-in-use',
    `The data directory ${directory} is in use by process ${pid} on ${host} (${purpose}) ` +
      `since ${new Date(startedAt).toISOString()}${address}. Stop it, or choose another directory with --data.`,
    { details: { pid, host, startedAt, purpose, url } },
  );
}
