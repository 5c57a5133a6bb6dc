import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { putFor } from '../../engine/testing/put-for.ts';
import { temporaryDirectory } from '../../engine/testing/temporary-directory.ts';
import { documentQueries } from '../database/database.ts';
import { makePdf } from '../split/testing/make-pdf.ts';
import { anna, pageOf, runHouse } from '../testing/running-transcription.ts';
import { documentOwner, getDocument } from './document.ts';
import { originalPdf } from './original-pdf.ts';

test('a submitted PDF comes back with text on the pages that had none', async (t) => {
  const { engine, call } = await runHouse(t, { workers: 0, collects: false });
  const queries = documentQueries(engine);
  const { id: document } = await call('document.create', { name: 'test' });
  const pdf = Buffer.from(
    makePdf([
      { width: 500, height: 700 },
      { width: 500, height: 700, lines: ['born digital'] },
      { width: 500, height: 700 },
    ]),
  );
  const { hash } = await putFor(engine, anna.name, pdf);
  const { source } = await call('document.add', { document, name: 'book.pdf', hash });
  const other = await putFor(engine, anna.name, Buffer.from('not a PDF'));
  const { source: text } = await call('document.add', { document, name: 'a.txt', hash: other.hash });
  const read = [
    { words: 'first page', hasText: 0, quality: null },
    { words: 'wrong again', hasText: 1, quality: null },
    { words: 'scribbled noise', hasText: 0, quality: 'no-text' },
  ];
  for (const [index, { words, ...of }] of read.entries()) {
    const page = `page-${index}`;
    const json = Buffer.from(JSON.stringify(pageOf(words)));
    const file = await putFor(engine, documentOwner(document), json);
    await queries
      .insertInto('transcription_page')
      .values({
        id: page,
        document,
        source,
        position: 1_000_000 + index,
        name: 'book.pdf',
        part: index + 1,
        ...of,
        state: 'done',
        size: 0,
        textSize: 0,
        log: '',
        generation: 1,
        createdAt: 0,
      })
      .execute();
    const { hash: result, size } = file;
    await queries
      .insertInto('transcription_pageFile')
      .values({ page, name: 'page.json', hash: result, size })
      .execute();
  }
  const stores = { blobs: engine.blobs, queries };
  const row = await getDocument(queries, document);
  const { name, content } = await originalPdf(stores, row, source);
  const path = join(await temporaryDirectory(t), name);
  const bytes = await buffer(content);
  await writeFile(path, bytes);
  assert.ok(bytes.subarray(0, pdf.length).equals(pdf));
  const found = execFileSync('pdftotext', [path, '-'], { encoding: 'utf8' });
  assert.deepEqual(found.match(/\w+ \w+/g), ['first page', 'born digital']);

  // The first page was a spread that was divided: its left half is 400 pixels wide, and could not be read.
  const first = queries.updateTable('transcription_page').where('id', '=', 'page-0');
  await first.set({ name: 'book-right.pdf', width: 1000 }).execute();
  await queries
    .insertInto('transcription_page')
    .values({
      id: 'left',
      document,
      source,
      position: 999_999,
      name: 'book-left.pdf',
      part: 1,
      width: 400,
      state: 'failed',
      size: 0,
      textSize: 0,
      log: '',
      generation: 1,
      createdAt: 0,
    })
    .execute();
  await writeFile(path, await buffer((await originalPdf(stores, row, source)).content));
  const [place] =
    execFileSync('pdftotext', ['-bbox', '-l', '1', path, '-'], { encoding: 'utf8' }).match(/xMin="[\d.]+/) ??
    [];
  // The first word stands at the left edge of the right half: at 400 of 1400 pixels, on a page of 500 points.
  assert.equal(Math.round(Number(place?.slice(6))), Math.round((400 / 1400) * 500));

  await assert.rejects(originalPdf(stores, row, text), /a\.txt is not a PDF/);
  await assert.rejects(originalPdf(stores, row, 'nothing'), /has no source nothing/);
});
