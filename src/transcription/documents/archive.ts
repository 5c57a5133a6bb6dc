import type { Blobs } from '../../engine/blobs/blobs.ts';
import { readBlob } from '../../engine/blobs/blobs.ts';
import type { Queries } from '../../engine/database/database.ts';
import { resultFiles } from '../files.ts';
import { type MetsPage, toMets } from '../formats/mets.ts';
import { writeZip, type ZipEntry } from '../formats/zip.ts';
import type { DocumentRow } from './document.ts';
import { filesOf, listPages } from './page-list.ts';

const pagesAtOnce = 500;
/** Larger ones go through as they are, in pieces. */
const packedLimit = 4 * 1024 * 1024;

interface Kind {
  use: string;
  mediaType: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  [resultFiles.txt]: { use: 'TEXT', mediaType: 'text/plain' },
  [resultFiles.page]: { use: 'PAGE', mediaType: 'application/vnd.prima.page+xml' },
  [resultFiles.alto]: { use: 'ALTO', mediaType: 'application/alto+xml' },
  [resultFiles.hocr]: { use: 'HOCR', mediaType: 'text/vnd.hocr+html' },
  [resultFiles.pdf]: { use: 'PDF', mediaType: 'application/pdf' },
  [resultFiles.json]: { use: 'JSON', mediaType: 'application/json' },
};

export function mediaTypeOf(file: string): string {
  return kinds[file]?.mediaType ?? 'application/octet-stream';
}

/** All results of a document in one ZIP, `0001/text.txt` and so on, with `mets.xml` last. Made while it is read. */
export function documentArchive(
  { blobs, queries }: { blobs: Blobs; queries: Queries },
  document: DocumentRow,
): AsyncIterable<Uint8Array> {
  const created = new Date(document.endedAt ?? document.createdAt);

  async function* entries(): AsyncGenerator<ZipEntry> {
    const pages: MetsPage[] = [];
    for (let offset = 0; ; offset += pagesAtOnce) {
      const some = await listPages(queries, document.id, { state: 'done', offset, limit: pagesAtOnce });
      const files = await filesOf(
        queries,
        some.map(({ id }) => id),
      );
      for (const { id, number, name } of some) {
        const directory = String(number).padStart(4, '0');
        const listed = [];
        for (const { name: file, hash, size } of files.get(id) ?? []) {
          const path = `${directory}/${file}`;
          yield { name: path, content: size > packedLimit ? blobs.get(hash) : await readBlob(blobs, hash) };
          listed.push({ ...(kinds[file] ?? { use: 'OTHER', mediaType: mediaTypeOf(file) }), path });
        }
        pages.push({ number, name, files: listed });
      }
      if (some.length < pagesAtOnce) break;
    }
    const mets = toMets({ id: document.id, title: document.name, created, pages });
    yield { name: 'mets.xml', content: Buffer.from(mets) };
  }

  return writeZip(entries(), created);
}
