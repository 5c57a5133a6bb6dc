import { createHash } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { verified } from '../blobs/content-hash.ts';
import { makeDirectory } from '../files/make-directory.ts';
import { createDistinctPaths, markedFileName, safeFileName } from '../files/safe-names.ts';
import { syncDirectory } from '../files/sync-directory.ts';
import { isSystemError } from '../files/system-error.ts';
import { removeLeftovers, temporaryName } from '../files/temporary-files.ts';
import { hasCode } from '../ground/errors.ts';
import { decodeRequest, milliseconds, type Request } from '../request/request.ts';
import type { Clock } from '../time/clock.ts';
import { hasFailed } from './timing.ts';

/** A result taken from an output queue. */
export interface TakenResult {
  message: Uint8Array;
  /** The content of a large file that travels by reference. */
  download(hash: string): AsyncIterable<Uint8Array>;
}

/**
 * `saved`: its files are on disk; `failed`: the request failed, and its files so far and its log are on disk; `duplicate`:
 * this uuid is already there; `unreadable`: it is not a request, and its bytes are on disk.
 */
export type SaveOutcome = 'saved' | 'failed' | 'duplicate' | 'unreadable';

/** Our own files beside the results. */
const messageFile = 'request.pb';
const logFile = 'log.txt';

/**
 * Saves results to `DIRECTORY/UUID/NAME`, each uuid once, however often it is delivered. When `save` resolves, the result
 * is on disk and may be confirmed. A directory appears complete or not at all.
 */
export class ResultDirectory {
  readonly #directory: string;
  readonly #messages: boolean;
  readonly counts: Record<SaveOutcome, number> = { saved: 0, failed: 0, duplicate: 0, unreadable: 0 };

  private constructor(directory: string, messages: boolean) {
    this.#directory = directory;
    this.#messages = messages;
  }

  /** With `messages`, the whole request is kept too, for `timing`. */
  static async open(
    directory: string,
    options: { messages?: boolean; clock: Clock },
  ): Promise<ResultDirectory> {
    const results = new ResultDirectory(directory, options.messages ?? false);
    await makeDirectory(results.#incoming);
    await removeLeftovers(results.#incoming, options.clock);
    return results;
  }

  get #incoming(): string {
    return join(this.#directory, '.incoming');
  }

  /** Removes everything but results from the directory. */
  async close(): Promise<void> {
    // It is not empty if another process is saving: then it stays for that process.
    await rmdir(this.#incoming).catch(() => {});
  }

  async save(result: TakenResult): Promise<{ uuid: string | null; outcome: SaveOutcome }> {
    const request = tryDecode(result.message);
    const outcome = await this.#save(request, result);
    this.counts[outcome]++;
    return { uuid: request?.uuid ?? null, outcome };
  }

  async #save(request: Request | undefined, result: TakenResult): Promise<SaveOutcome> {
    const digest = createHash('sha256').update(result.message).digest('hex');
    const target = join(
      this.#directory,
      request ? folderOf(request.uuid) : `unreadable-${digest.slice(0, 32)}`,
    );
    if (existsSync(target)) return 'duplicate';
    const temporary = join(this.#incoming, temporaryName());
    await mkdir(temporary);
    try {
      for await (const [name, content] of filesOf(request, result, this.#messages)) {
        await pipeline(content, createWriteStream(join(temporary, name), { flags: 'wx', flush: true }));
      }
      await syncDirectory(temporary);
      // Fails if another process has saved it meanwhile: its directory is not empty.
      await rename(temporary, target);
      await syncDirectory(this.#directory);
    } catch (error) {
      await rm(temporary, { recursive: true, force: true });
      if (isSystemError(error, 'ENOTEMPTY', 'EEXIST')) return 'duplicate';
      throw error;
    }
    if (!request) return 'unreadable';
    return hasFailed(request) ? 'failed' : 'saved';
  }
}

/** A foreign producer's uuid may be any text, even the name of one of our folders. */
function folderOf(uuid: string): string {
  const isPlain = /^(?!unreadable-)[A-Za-z0-9][\w-]{0,99}$/.test(uuid);
  return isPlain ? uuid : markedFileName(`request ${uuid}`);
}

/** Never empty, so that a rename can't replace an existing directory. */
async function* filesOf(
  request: Request | undefined,
  { message, download }: TakenResult,
  messages: boolean,
): AsyncGenerator<[name: string, content: Readable | AsyncIterable<Uint8Array>]> {
  if (!request) return yield ['message.bin', Readable.from([message])];
  const distinct = createDistinctPaths({ reserved: [messageFile, logFile] });
  for (const file of request.results) {
    const content =
      file.blob === '' ? Readable.from([file.content]) : verified(download(file.blob), file.blob);
    yield [distinct(safeFileName(file.name)), content];
  }
  const failed = hasFailed(request);
  if (messages) yield [messageFile, Readable.from([message])];
  if (failed || (!messages && request.results.length === 0))
    yield [logFile, Readable.from([Buffer.from(logText(request))])];
}

function logText(request: Request): string {
  const time = (log: Request['logs'][number]) => new Date(milliseconds(log.start) ?? 0).toISOString();
  return request.logs.map((log) => `${time(log)} ${log.stage} ${log.status}\n${log.log}\n`).join('\n');
}

function tryDecode(message: Uint8Array): Request | undefined {
  try {
    return decodeRequest(message);
  } catch (error) {
    if (hasCode(error, 'request-invalid')) return undefined;
    throw error;
  }
}
