import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import { createDistinctPaths, safePath } from '../../engine/files/safe-names.ts';
import { centralRecord, endRecords, localHeader, sizesAfterwards, type ZipRecord } from './zip-records.ts';

export interface ZipEntry {
  /** Path inside the archive, with slashes. It is sanitised. */
  name: string;
  /** Streams are stored uncompressed; whole contents are deflated if that makes them smaller. */
  content: Uint8Array | AsyncIterable<Uint8Array>;
}

/**
 * Streams a ZIP: asks for entries one by one, as fast as the reader takes them. We wrote our own: of
 * the libraries, one can't deflate, one can't exceed 4 GB, and one searches all entries for each entry.
 */
export async function* writeZip(
  entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>,
  modified: Date,
): AsyncGenerator<Uint8Array> {
  const distinct = createDistinctPaths();
  const directory: Buffer[] = [];
  let written = 0;
  const emit = (bytes: Uint8Array): Uint8Array => {
    written += bytes.length;
    return bytes;
  };
  for await (const { name, content } of entries) {
    const path = Buffer.from(distinct(safePath(name)));
    const record: ZipRecord = {
      path,
      modified,
      offset: written,
      deflated: false,
      streamed: false,
      crc: 0,
      size: 0,
      packed: 0,
    };
    if (content instanceof Uint8Array) {
      const packed = await pack(content);
      record.deflated = packed !== content;
      record.crc = crc32(content);
      record.size = content.length;
      record.packed = packed.length;
      // One chunk per file, because documents have thousands of small files.
      yield emit(Buffer.concat([localHeader(record), packed]));
    } else {
      record.streamed = true;
      yield emit(localHeader(record));
      for await (const piece of content) {
        record.crc = crc32(piece, record.crc);
        record.size += piece.length;
        yield emit(piece);
      }
      record.packed = record.size;
      yield emit(sizesAfterwards(record));
    }
    directory.push(centralRecord(record));
  }
  const start = written;
  yield emit(Buffer.concat(directory));
  yield endRecords({ count: directory.length, start, length: written - start });
}

const deflate = promisify<Uint8Array, Uint8Array>(deflateRaw);

/** Returns the content itself if deflating would not help, as with images and PDFs. */
async function pack(content: Uint8Array): Promise<Uint8Array> {
  if (content.length < 64 || isPacked(content)) return content;
  const packed = await deflate(content);
  return packed.length < content.length ? packed : content;
}

/** Whether the first bytes are those of JPEG, PNG, PDF or ZIP. */
function isPacked(content: Uint8Array): boolean {
  const start = Buffer.from(content.subarray(0, 4)).toString('latin1');
  return ['\xff\xd8', '\x89PNG', '%PDF', 'PK\x03\x04'].some((magic) => start.startsWith(magic));
}
