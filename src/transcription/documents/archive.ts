import type { Blobs } from '../../engine/blobs/blobs.ts';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { safePath } from '../../engine/files/safe-names.ts';
import { writeZip, type ZipEntry } from '../../formats/zip/write-zip.ts';
import type { Queries } from '../database/database.ts';
import { type MetsFile, type MetsPage, toMets } from '../formats/mets.ts';
import { outputFormats } from '../formats/output-formats.ts';
import { describePageImage } from '../image/page-image.ts';
import { files, preparedFile } from '../page/files.ts';
import type { DocumentRow } from './document.ts';
import { filesOf } from './page-list.ts';

const pagesAtOnce = 500;
/** Larger files are streamed and stored uncompressed. */
const packedLimit = 4 * 1024 * 1024;

interface Kind {
  use: string;
  mediaType: string;
}

const kinds: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...Object.values(outputFormats).map((format): [string, Kind] => [format.file, format]),
  [preparedFile, { use: 'PREPARED', mediaType: 'image/png' }],
  [files.keywords, { use: 'OTHER', mediaType: 'application/json' }],
]);

/** What a result is. Stages that others have added may leave files of any kind. */
export function kindOf(file: string): Kind {
  const json = file.endsWith('.json');
  return (
    kinds.get(file) ?? { use: 'OTHER', mediaType: json ? 'application/json' : 'application/octet-stream' }
  );
}

/**
 * Streams a document as one ZIP: for each page its image (optional) and results, `0001/scan.png`, `0001/text.txt` and so on;
 * then `mets.xml`. Failed pages have no results.
 */
export function documentArchive(
  { blobs, queries }: { blobs: Blobs; queries: Queries },
  document: DocumentRow,
  { images = true }: { images?: boolean } = {},
): AsyncIterable<Uint8Array> {
  const created = new Date(document.endedAt ?? document.createdAt);

  async function* entries(): AsyncGenerator<ZipEntry> {
    const pages: MetsPage[] = [];
    for (let after = -1; ; ) {
      // Page by position: an offset would count all earlier pages each time.
      const some = await queries
        .selectFrom('transcription_page')
        .select(['id', 'position', 'name', 'part', 'state', 'hash', 'size', 'language'])
        .where('document', '=', document.id)
        .where('position', '>', after)
        .orderBy('position')
        .limit(pagesAtOnce)
        .execute();
      after = some.at(-1)?.position ?? after;
      const results = await filesOf(
        queries,
        some.map(({ id }) => id),
      );
      for (const page of some) {
        const { id, name } = page;
        const number = pages.length + 1;
        const directory = String(number).padStart(4, '0');
        const listed: MetsFile[] = [];
        if (images && page.hash !== null) {
          const image = { hash: page.hash, size: page.size };
          const content = await contentOf(blobs, image);
          const start = content instanceof Uint8Array ? content : await startOf(blobs, image.hash);
          const { fileName, mediaType } = describePageImage(page, start);
          const path = safePath(`${directory}/${fileName}`);
          yield { name: path, content };
          listed.push({ use: 'IMAGE', mediaType, path, size: image.size, sha256: image.hash });
        }
        for (const file of resultsOf(page, results.get(id))) {
          const path = `${directory}/${file.name}`;
          yield { name: path, content: await contentOf(blobs, file) };
          const { use, mediaType } = kindOf(file.name);
          listed.push({ use, mediaType, path, size: file.size, sha256: file.hash });
        }
        pages.push({ number, name, files: listed, language: page.language ?? undefined });
      }
      if (some.length < pagesAtOnce) break;
    }
    const mets = toMets({ id: document.id, title: document.name, created, pages });
    yield { name: 'mets.xml', content: Buffer.from(mets) };
  }

  return writeZip(entries(), created);
}

interface Stored {
  hash: string;
  size: number;
}

/** Ignore earlier results while a page is retried. */
function resultsOf<File>({ state }: { state: string }, files: readonly File[] = []): readonly File[] {
  return state === 'done' ? files : [];
}

/** Enough bytes to detect the format. */
async function startOf(blobs: Blobs, hash: string): Promise<Uint8Array> {
  for await (const chunk of blobs.get(hash)) return chunk;
  return new Uint8Array();
}

async function contentOf(blobs: Blobs, { hash, size }: Stored): Promise<ZipEntry['content']> {
  return size > packedLimit ? blobs.get(hash) : readBlob(blobs, hash);
}
