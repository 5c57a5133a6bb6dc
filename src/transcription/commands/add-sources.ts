import type { z } from 'zod';
import { reasonOf } from '../../engine/files/system-error.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { hashFile, uploadFile } from '../../terminal/client/upload-file.ts';
import type { Progress } from '../../terminal/output/progress.ts';
import type { Session } from '../../terminal/session.ts';
import { documentAdd, documentDelete, documentShow, documentSubmit } from '../operations/document.ts';
import { documentSources } from '../operations/pages.ts';
import { sourceNames } from './source-names.ts';

export type Source = z.output<typeof documentSources.output>['sources'][number];

/** A local file that can't be read. The others are still sent. */
export interface Unreadable {
  name: string;
  error: string;
}

const listed = 1000;
/** Files per submission, so that transcription starts while others are still being added. */
const lot = 50;

export async function listSources(client: Client, document: string): Promise<Source[]> {
  const all: Source[] = [];
  for (;;) {
    const part = { document, offset: all.length, limit: listed };
    const { sources } = await client.call(documentSources, part);
    all.push(...sources);
    if (sources.length < listed) return all;
  }
}

/**
 * Adds and submits the files that the document doesn't have yet. Resolves to the files that could not be read. A document of which
 * a quota lets nothing through is deleted: it would stay open, and count.
 */
export async function addSources(...parts: Parameters<typeof addAll>): Promise<Unreadable[]> {
  const [, client, document] = parts;
  try {
    return await addAll(...parts);
  } catch (error) {
    if (!hasCode(error, 'quota-exceeded')) throw error;
    const isOpen = (await client.call(documentShow, { document })).state === 'open';
    if (isOpen) await client.call(documentDelete, { document });
    const left = isOpen ? 'nothing was submitted' : `document ${document} has only the files sent before`;
    const { message, details = {} } = error;
    throw new PismakError('quota-exceeded', `${message}; ${left}`, { cause: error, details });
  }
}

async function addAll(
  session: Pick<Session, 'clock' | 'signal'>,
  client: Client,
  document: string,
  files: readonly string[],
  progress: Progress,
): Promise<Unreadable[]> {
  const has = new Set((await listSources(client, document)).map(({ name, hash }) => `${hash} ${name}`));
  const names = sourceNames(files);
  const unreadable: Unreadable[] = [];
  let unsent = 0;
  for (const [index, path] of files.entries()) {
    session.signal.throwIfAborted();
    const name = names[index] ?? path;
    const hash = await hashFile(path).catch((error: unknown) => {
      unreadable.push({ name, error: whyUnreadable(path, error) });
    });
    if (hash !== undefined && !has.has(`${hash} ${name}`)) {
      await addFile(session, client, document, { name, path, hash });
      unsent++;
    }
    if (unsent >= lot) {
      await client.call(documentSubmit, { document });
      unsent = 0;
    }
    progress.set(index + 1);
  }
  const [first] = unreadable;
  if (first && unreadable.length === files.length)
    throw new PismakError('invalid-input', `no file can be read; ${first.name}: ${first.error}`);
  await client.call(documentSubmit, { document });
  return unreadable;
}

function whyUnreadable(path: string, error: unknown): string {
  // Node replaces bytes that are not UTF-8 with this character, and then can't find the file by that name.
  if (path.includes('\ufffd')) return 'its name is not in UTF-8: rename it';
  return `it can't be read: ${reasonOf(error)}`;
}

async function addFile(
  session: Pick<Session, 'clock' | 'signal'>,
  client: Client,
  document: string,
  { name, path, hash }: { name: string; path: string; hash: string },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { clock, signal } = session;
    const stored = await uploadFile(client, path, { clock, signal, hash });
    try {
      await client.call(documentAdd, { document, name, hash: stored.hash });
      return;
    } catch (error) {
      // Somebody deleted the same bytes between the two calls: upload them again.
      if (!hasCode(error, 'blob-missing') || attempt >= 3) throw error;
    }
  }
}
