import { createReadStream, createWriteStream } from 'node:fs';
import { realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BlobReference } from '../blobs/blobs.ts';
import { verified } from '../blobs/content-hash.ts';
import { linkOrCopy } from '../files/link-or-copy.ts';
import { messageOf } from '../ground/errors.ts';
import { type Ask, type Given, outputName, type StageVersion, type ToHost } from './host-protocol.ts';
import type { FileStore } from './job-files.ts';

/** Asking without an id. */
type Question = Ask extends infer Each ? (Each extends Ask ? Omit<Each, 'id'> : never) : never;

/** Before a processor can change it. */
const own = tmpdir();
const asked = new Map<number, { resolve(given: Given): void; reject(error: Error): void }>();
let last = 0;

/** The worker's answer to what this process asked for. */
export function hearAnswer(message: Extract<ToHost, { type: 'given' | 'denied' }>): void {
  const waiting = asked.get(message.id);
  asked.delete(message.id);
  if (message.type === 'given') waiting?.resolve(message);
  else waiting?.reject(new Error(message.reason));
}

/** The contents of a job's files, seen from its process. */
export function jobStore(job: number): FileStore {
  async function store(leave: (path: string) => Promise<void>): Promise<BlobReference> {
    const id = ++last;
    const path = join(own, outputName(id));
    try {
      await leave(path);
      const given = await ask({ type: 'store', job }, id);
      if ('reference' in given) return given.reference;
      throw new Error('the worker gave no reference');
    } finally {
      await rm(path, { force: true });
    }
  }
  return {
    async *get(hash) {
      const path = await askForPath({ type: 'fetch', job, hash });
      yield* verified(createReadStream(path), hash);
    },
    put: (content) =>
      store((path) =>
        content instanceof Uint8Array
          ? writeFile(path, content, { flag: 'wx', mode: 0o600 })
          : pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 })),
      ),
    // A second name for a file in its /tmp costs nothing.
    putFile: (from) => store(async (path) => linkOrCopy(await realpath(from), path)),
  };
}

/** Resolves to the path of a file of the stage, whose content has been checked. */
export async function stageFile(stage: StageVersion, hash: string): Promise<string> {
  const question = { type: 'fetch-stage-file', stage, hash } as const;
  const path = await askForPath({ ...question, isDamaged: false });
  try {
    await readAll(path, hash);
    return path;
  } catch (error) {
    process.emitWarning(messageOf(error));
    const fresh = await askForPath({ ...question, isDamaged: true });
    await readAll(fresh, hash);
    return fresh;
  }
}

async function readAll(path: string, hash: string): Promise<void> {
  for await (const _ of verified(createReadStream(path), hash));
}

async function askForPath(question: Question): Promise<string> {
  const given = await ask(question, ++last);
  if ('path' in given) return given.path;
  throw new Error('the worker gave no path');
}

function ask(question: Question, id: number): Promise<Given> {
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    process.send?.({ ...question, id });
  });
}
