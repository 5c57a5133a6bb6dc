import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Entry, Options, ZipFile } from 'yauzl';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';

export interface ZipEntry {
  /** The name as the archive has it: hostile, and perhaps with slashes. A folder ends with a slash. */
  name: string;
  /** Unpacked, as declared. No more than this is unpacked. */
  size: number;
  /** The first bytes: enough to tell the format. */
  head(): Promise<Uint8Array>;
  /** The whole content, for entries that are known to be small. */
  content(): Promise<Buffer>;
  /** Unpacks it into a new file. */
  save(path: string): Promise<void>;
}

export interface Zip {
  entries: ZipEntry[];
  close(): void;
}

export interface ZipLimits {
  entries: number;
  /** Limit on all entries together, unpacked. */
  bytes: number;
}

/** Unpacking documents multiplies their size a few times, white pages in old image formats up to this. Bombs grow far more. */
const maxRatio = 250;
/** Small archives may have any ratio. */
const freeBytes = 64 * 1024 * 1024;
const headLength = 1024;

/**
 * The entries of a ZIP, in a file or in memory. All limits are checked against the declared sizes before anything is unpacked, and
 * the declared sizes while unpacking. A damaged archive, or one beyond the limits, is `invalid-input`.
 */
export async function openZip(source: string | Uint8Array, limits: ZipLimits): Promise<Zip> {
  const size = typeof source === 'string' ? (await stat(source)).size : source.length;
  const zip = await open(source);
  try {
    return { entries: await readEntries(zip, size, limits), close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readEntries(zip: ZipFile, size: number, limits: ZipLimits): Promise<ZipEntry[]> {
  if (zip.entryCount > limits.entries)
    throw invalid(`the ZIP has ${zip.entryCount} files; the limit is ${limits.entries}`);
  const found: Entry[] = [];
  let unpacked = 0;
  let packed = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (error) => reject(damaged(error)));
    zip.on('end', () => resolve());
    zip.on('entry', (entry: Entry) => {
      unpacked += entry.uncompressedSize;
      packed += entry.compressedSize;
      found.push(entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  if (unpacked > limits.bytes)
    throw invalid(
      `the ZIP would unpack to ${Math.round(unpacked / 1024 / 1024)} MB; the limit is ` +
        `${Math.round(limits.bytes / 1024 / 1024)} MB, so divide it into several`,
    );
  // More packed data than the file is long: entries overlap, which happens only in bombs.
  if (packed > size || (unpacked > freeBytes && unpacked > size * maxRatio))
    throw invalid(
      'the ZIP would unpack to far more than documents do; it looks like a ZIP bomb and was not opened',
    );
  const { getFileNameLowLevel } = await yauzl();
  return found.map((entry) => ({
    name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
    size: entry.uncompressedSize,
    head: () => readHead(zip, entry),
    content: () => openEntry(zip, entry).then(buffer).catch(asDamaged),
    save: (path) => unpack(zip, entry, path),
  }));
}

async function yauzl(): Promise<typeof import('yauzl')> {
  try {
    const module = await import('yauzl');
    return module.default ?? module;
  } catch (cause) {
    const advice = 'ZIP needs the package yauzl, which is not installed: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  }
}

async function open(source: string | Uint8Array): Promise<ZipFile> {
  const library = await yauzl();
  return new Promise((resolve, reject) => {
    // We decode names ourselves, because the library refuses a whole archive for one bad name.
    const options: Options = {
      lazyEntries: true,
      decodeStrings: false,
      validateEntrySizes: true,
      autoClose: false,
    };
    const opened = (error: Error | null, zip?: ZipFile) =>
      error || !zip ? reject(damaged(error)) : resolve(zip);
    if (typeof source === 'string') library.open(source, options, opened);
    else library.fromBuffer(Buffer.from(source.buffer, source.byteOffset, source.length), options, opened);
  });
}

async function unpack(zip: ZipFile, entry: Entry, path: string): Promise<void> {
  const stream = await openEntry(zip, entry);
  let failed: unknown;
  stream.once('error', (error) => {
    failed ??= error;
  });
  try {
    await pipeline(stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    // A full disk is not the fault of the ZIP.
    throw failed === undefined ? error : damaged(failed);
  }
}

async function readHead(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of await openEntry(zip, entry)) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= headLength) break;
    }
  } catch (error) {
    asDamaged(error);
  }
  return Buffer.concat(chunks).subarray(0, headLength);
}

function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  if ((entry.generalPurposeBitFlag & 1) !== 0)
    return Promise.reject(invalid('it is password-protected inside the ZIP; upload it without a password'));
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) =>
      error || !stream ? reject(damaged(error)) : resolve(stream),
    );
  });
}

function asDamaged(error: unknown): never {
  throw error instanceof PismakError ? error : damaged(error);
}

function damaged(error: unknown): PismakError {
  return invalid(`the ZIP is damaged or truncated (${messageOf(error)}); pack or upload it again`, error);
}

function invalid(message: string, cause?: unknown): PismakError {
  return new PismakError('invalid-input', message, { cause });
}
