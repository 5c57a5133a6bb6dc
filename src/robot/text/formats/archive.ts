import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import { PismakError } from '../../../engine/errors.ts';

/** Limits of what is unpacked: a document of office programs is far below, a bomb far above. */
const mostEntries = 20_000;
const largestEntry = 200 << 20;

/** Parts of a ZIP by name, unpacked when asked for; undefined if there is no such part. */
export interface Archive {
  (name: string): Promise<string | undefined>;
  names: string[];
}

export async function openArchive(bytes: Uint8Array): Promise<Archive> {
  const { fromBuffer } = (await import('yauzl')).default;
  const entries = new Map<string, Entry>();
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(withoutComment(bytes), { lazyEntries: true }, (error, opened) =>
      error ? reject(broken(error)) : resolve(opened),
    );
  });
  if (zip.entryCount > mostEntries) throw broken(`it has ${zip.entryCount} parts`);
  await new Promise<void>((resolve, reject) => {
    zip.on('error', (error) => reject(broken(error)));
    zip.on('end', resolve);
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  const part = async (name: string) => {
    const entry = entries.get(name);
    if (entry === undefined) return undefined;
    if (entry.uncompressedSize > largestEntry)
      throw broken(`${name} would unpack to ${entry.uncompressedSize} bytes`);
    try {
      // The library stops when more comes out than the entry declares.
      const stream = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
        zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
      });
      return new TextDecoder().decode(await buffer(stream));
    } catch (error) {
      throw broken(error);
    }
  };
  return Object.assign(part, { names: [...entries.keys()] });
}

/** The archive up to the end of its directory: what follows is often cut off or longer than it says, and nothing that we need. */
function withoutComment(bytes: Uint8Array): Buffer {
  const end = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).lastIndexOf('PK\x05\x06');
  if (end < 0 || end + 22 > bytes.length) return Buffer.from(bytes);
  const whole = Buffer.from(bytes.subarray(0, end + 22));
  whole.writeUInt16LE(0, end + 20);
  return whole;
}

function broken(cause: unknown): PismakError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PismakError('invalid-input', `the document is a broken ZIP: ${reason}`, { cause });
}
