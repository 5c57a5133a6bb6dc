import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { putFor } from '../../engine/testing/put-for.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { documentQueries } from '../database/database.ts';
import { searchablePdf } from '../formats/pdf/searchable-pdf.ts';
import { pageOf, type RunningTranscription, runHouse } from '../testing/running-transcription.ts';
import { documentOwner, getDocument } from './document.ts';
import { wholePdf } from './whole-pdf.ts';

const image = {
  entries: '/Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8',
  content: new Uint8Array([200]),
};

/** The stages of the test write no PDFs, so they are added. */
async function addPdfs(
  { engine }: RunningTranscription,
  document: string,
  texts: readonly string[],
): Promise<void> {
  const queries = documentQueries(engine);
  const pages = await queries
    .selectFrom('transcription_page')
    .select('id')
    .where('document', '=', document)
    .where('state', '=', 'done')
    .orderBy('position')
    .execute();
  for (const [index, { id: page }] of pages.entries()) {
    const about = { title: '', created: new Date(0) };
    const pdf = await buffer(searchablePdf([{ page: pageOf(texts[index] ?? ''), image }], about));
    const { hash, size } = await putFor(engine, documentOwner(document), pdf);
    await queries
      .insertInto('transcription_pageFile')
      .values({ page, name: 'page.pdf', hash, size })
      .execute();
  }
}

test('a document becomes one PDF with its pages in order, an outline, and without pages that failed', async (t) => {
  const house = await runHouse(t);
  const document = await house.submit(
    { 'first.tif': 'one fish\fbad page\ftwo fish', 'second.jpg': 'red fish' },
    { formats: ['pdf'] },
  );
  await house.reaches(document, 'partly');
  await addPdfs(house, document, ['one fish', 'two fish', 'red fish']);
  const queries = documentQueries(house.engine);
  const { blobs } = house.engine;
  const content = await wholePdf({ blobs, queries }, await getDocument(queries, document));
  const file = join(await temporaryDirectory(t), 'a.pdf');
  await writeFile(file, await buffer(content));
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  assert.deepEqual(run('pdftotext', file, '-').match(/\w+ fish/g), ['one fish', 'two fish', 'red fish']);
  assert.deepEqual(run('mutool', 'show', file, 'outline').match(/(first|second)\.\w+/g), [
    'first.tif',
    'second.jpg',
  ]);
});

test('a document without PDFs of its pages says what to do', async (t) => {
  const { engine, submit, reaches } = await runHouse(t);
  const document = await submit({ a: 'one' });
  await reaches(document, 'done');
  const queries = documentQueries(engine);
  const row = await getDocument(queries, document);
  await assert.rejects(wholePdf({ blobs: engine.blobs, queries }, row), /--formats pdf/);
});
