import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Entry, ZipFile } from 'yauzl';
import { messageOf, PismakError } from '../../engine/errors.ts';
import { isPermanent, PermanentFailure } from '../../engine/processor/processor.ts';

export interface ZipEntry {
  /** The name in the archive, sanitised. For people only. */
  name: string;
  size: number;
  /** The first bytes: enough to tell the format. */
  head(): Promise<Uint8Array>;
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

/** Unpacking scans multiplies their size a few times, white pages in old formats up to this. Bombs grow far more. */
const maxRatio = 250;
/** Small archives may have any ratio. */
const freeBytes = 64 * 1024 * 1024;

/**
 * The files of a ZIP in the natural order of their names (2 before 10), without directories and system metadata files. All
 * limits are checked against the declared sizes before anything is unpacked, and the declared sizes while unpacking.
 */
export async function openZip(path: string, limits: ZipLimits): Promise<Zip> {
  const { size } = await stat(path);
  const zip = await open(path);
  try {
    return { entries: await readEntries(zip, size, limits), close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readEntries(zip: ZipFile, size: number, limits: ZipLimits): Promise<ZipEntry[]> {
  if (zip.entryCount > limits.entries) {
    throw new PermanentFailure(`the ZIP has ${zip.entryCount} files; the limit is ${limits.entries}`);
  }
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
  if (unpacked > limits.bytes) {
    throw new PermanentFailure(
      `the ZIP would unpack to ${Math.round(unpacked / 1024 / 1024)} MB; the limit is ` +
        `${Math.round(limits.bytes / 1024 / 1024)} MB, so divide it into several`,
    );
  }
  // More packed data than the file is long: entries overlap, which happens only in bombs.
  if (packed > size || (unpacked > freeBytes && unpacked > size * maxRatio)) {
    throw new PermanentFailure(
      'the ZIP would unpack to far more than scans do; it looks like a ZIP bomb and was not opened',
    );
  }
  const { getFileNameLowLevel } = await yauzl();
  return found
    .map((entry) => ({
      name: getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false),
      entry,
    }))
    .filter(({ name }) => !name.endsWith('/') && !isNote(name))
    .sort((one, other) => natural.compare(one.name, other.name))
    .map(({ name, entry }) => ({
      name: harmless(name),
      size: entry.uncompressedSize,
      head: () => readHead(zip, entry),
      save: (path) => unpack(zip, entry, path),
    }));
}

const natural = new Intl.Collator('cs', { numeric: true });

function isNote(name: string): boolean {
  const parts = name.split('/');
  const last = parts.at(-1) ?? '';
  return parts[0] === '__MACOSX' || last.startsWith('.') || /^(thumbs\.db|desktop\.ini)$/i.test(last);
}

/** Names are shown to people: no path traversal, no line breaks, no terminal control characters. */
function harmless(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => part !== '' && part !== '.' && part !== '..');
  const text = parts.join('/').replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ');
  return text.trim().slice(0, 255) || 'unnamed file';
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

async function open(path: string): Promise<ZipFile> {
  const { open } = await yauzl();
  return new Promise((resolve, reject) => {
    // We decode names ourselves, because the library refuses a whole archive for one bad name.
    const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true, autoClose: false };
    open(path, options, (error, zip) => (error || !zip ? reject(damaged(error)) : resolve(zip)));
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
    throw isPermanent(error) ? error : damaged(error);
  }
  return Buffer.concat(chunks).subarray(0, headLength);
}

const headLength = 1024;

function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  if ((entry.generalPurposeBitFlag & 1) !== 0) {
    throw new PermanentFailure('it is password-protected inside the ZIP; upload it without a password');
  }
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) =>
      error || !stream ? reject(damaged(error)) : resolve(stream),
    );
  });
}

function damaged(error: unknown): PermanentFailure {
  return new PermanentFailure(
    `the ZIP is damaged or truncated (${messageOf(error)}); pack or upload it again`,
  );
}
