import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { queuePeek } from '../../engine/operation/operations/queue.ts';
import { decodeRequest, type Request } from '../../engine/request/request.ts';
import type { Client } from '../client/client.ts';

/** Counts messages that are not readable requests. */
export interface Skipped {
  unreadable: number;
}

/** Requests that `pismak results --messages` has saved. */
export async function* savedRequests(directory: string, skipped: Skipped): AsyncGenerator<Request> {
  const names = await readdir(directory).catch((error: unknown) => {
    throw new PismakError('not-found', `${directory} can't be read: ${reasonOf(error)}`, { cause: error });
  });
  let found = 0;
  for (const name of names.sort()) {
    const body = await readFile(join(directory, name, 'request.pb')).catch((error: unknown) => {
      if (isSystemError(error, 'ENOENT', 'ENOTDIR')) return undefined;
      throw error;
    });
    if (!body) continue;
    found++;
    yield* decoded(body, skipped);
  }
  if (found === 0) {
    throw new PismakError(
      'not-found',
      `${directory} holds no request.pb: collect with \`pismak results --messages\``,
    );
  }
}

const page = 100;

/** Requests that wait in a queue; they stay there. */
export async function* queuedRequests(
  client: Client,
  queue: string,
  skipped: Skipped,
): AsyncGenerator<Request> {
  for (let offset = 0; ; ) {
    const input = { queue, offset, limit: page, bodies: true };
    const { messages } = await client.call(queuePeek, input);
    // The next answer begins with the messages that did not fit into this one.
    const read = messages.filter(({ body }) => body !== null);
    for (const { body } of read) yield* decoded(Buffer.from(body ?? '', 'base64'), skipped);
    if (read.length === 0) return;
    offset += read.length;
  }
}

function* decoded(body: Uint8Array, skipped: Skipped): Generator<Request> {
  let request: Request;
  try {
    request = decodeRequest(body);
  } catch {
    skipped.unreadable++;
    return;
  }
  yield request;
}
