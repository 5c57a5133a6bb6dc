import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Blobs } from '../../engine/blobs/blobs.ts';
import { readBlob } from '../../engine/blobs/blobs.ts';
import { workDirectoryName } from '../../engine/files/work-directory.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Queries } from '../database/database.ts';
import { addText } from '../formats/pdf/original/add-text.ts';
import { FileBytes } from '../image/file-bytes.ts';
import { sourceFormat } from '../image/source-format.ts';
import { files } from '../page/files.ts';
import { type Page, page as pageModel } from '../page/page.ts';
import type { DocumentRow } from './document.ts';
import { readPagesOf } from './read-pages.ts';
import { inSpread, type Side, sideOf, widthsOfHalves } from './spread-halves.ts';

/** A submitted PDF with a text layer added to pages without text. */
export async function originalPdf(
  { blobs, queries }: { blobs: Blobs; queries: Queries },
  document: DocumentRow,
  id: string,
): Promise<{ name: string; content: AsyncIterable<Uint8Array> }> {
  const source = await queries
    .selectFrom('transcription_source')
    .select(['name', 'hash'])
    .where('id', '=', id)
    .where('document', '=', document.id)
    .executeTakeFirst();
  if (!source) throw new PismakError('not-found', `document ${document.id} has no source ${id}`);
  for await (const start of blobs.get(source.hash)) {
    if (sourceFormat(start) === 'pdf') break;
    throw new PismakError('invalid-input', `${source.name} is not a PDF, so no text can be added to it`);
  }
  const results = new Map<number, { hash: string; side: Side | undefined }[]>();
  for await (const page of readPagesOf(queries, document.id, id)) {
    const json = page.files.get(files.page);
    if (!json || page.hasText === 1 || page.quality === 'no-text') continue;
    const number = page.part ?? 1;
    results.set(number, [...(results.get(number) ?? []), { hash: json.hash, side: sideOf(page, source) }]);
  }
  const halves = await widthsOfHalves(queries, { id, name: source.name });
  const textOf = async (number: number): Promise<Page[]> => {
    const found: Page[] = [];
    for (const { hash, side } of results.get(number) ?? []) {
      const page = pageModel.parse(JSON.parse(Buffer.from(await readBlob(blobs, hash)).toString()));
      const widths = halves.get(number);
      found.push(side && widths ? inSpread(page, side, widths) : page);
    }
    return found;
  };
  return { name: source.name, content: fromFile(blobs, source.hash, textOf) };
}

/** PDFs are read from the end, so copy the blob to a file first. */
async function* fromFile(
  blobs: Blobs,
  hash: string,
  textOf: (number: number) => Promise<Page[]>,
): AsyncGenerator<Uint8Array> {
  const directory = await mkdtemp(workDirectoryName());
  try {
    const path = join(directory, 'source');
    await pipeline(Readable.from(blobs.get(hash)), createWriteStream(path));
    const bytes = new FileBytes(path);
    try {
      yield* addText(bytes, textOf);
    } finally {
      bytes.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
