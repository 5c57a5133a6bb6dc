import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runHouse } from '../testing/running-transcription.ts';

const pages = ['plain words here', 'unsure words here', 'scrawl words here', 'blank'].join('\f');

test('doubtful pages and pages without text are told apart from the others, in counts, lists and filters', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ book: pages });
  await reaches(document, 'done');
  const shown = await call('document.show', { document });
  const { done, doubtful, noText, failed } = shown.pages;
  assert.deepEqual([done, doubtful, noText, failed], [1, 1, 2, 0]);
  assert.ok(Math.abs(shown.confidence - 0.51) < 1e-9, 'the mean over all words that have one');

  const listed = (await call('document.pages', { document })).pages;
  assert.deepEqual(
    listed.map((page: { state: string; words: number; confidence: number }) => [
      page.state,
      page.words,
      page.confidence,
    ]),
    [
      ['done', 3, null],
      ['doubtful', 3, 0.72],
      ['no-text', 3, 0.3],
      ['no-text', 0, null],
    ],
  );
  const numbers = async (state: string) =>
    (await call('document.pages', { document, state })).pages.map((page: { number: number }) => page.number);
  assert.deepEqual(await numbers('done'), [1]);
  assert.deepEqual(await numbers('doubtful'), [2]);
  assert.deepEqual(await numbers('no-text'), [3, 4]);
  assert.equal((await call('document.results', { document })).pages.length, 4, 'all have results');
});

test('documents with doubtful pages can be listed', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const [clear, unclear] = [await submit({ a: 'plain' }), await submit({ b: 'unsure words' })];
  for (const document of [clear, unclear]) await reaches(document, 'done');
  const having = async (has: string) =>
    (await call('document.ls', { has })).documents.map(({ id }: { id: string }) => id);
  assert.deepEqual(await having('doubtful'), [unclear]);
  assert.deepEqual(await having('no-text'), []);
});

test('what is no text is not found by search, and the same page submitted again is judged the same', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  for (let copy = 0; copy < 2; copy++) {
    const document = await submit({ book: pages });
    await reaches(document, 'done');
    const { hits } = await call('search.text', { words: 'words', document });
    assert.deepEqual(hits.map(({ page }: { page: number }) => page).toSorted(), [1, 2]);
    const { doubtful, noText } = (await call('document.show', { document })).pages;
    assert.deepEqual([doubtful, noText], [1, 2]);
  }
});

test('a document that was read in a wrong language can be read again in another', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ book: 'one\ftwo' }, { language: 'eng' });
  await reaches(document, 'done');
  assert.deepEqual(await call('document.retry', { document, language: 'deu' }), { pages: 2, sources: 0 });
  await reaches(document, 'done');
  assert.equal((await call('document.show', { document })).language, 'deu');
  const { pages } = await call('document.pages', { document });
  assert.deepEqual(
    pages.map(({ generation }: { generation: number }) => generation),
    [2, 2],
  );
});

test('a page of which much was not read is doubtful, however sure the rest is, and says how much', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ book: ['gaps between words', 'unsure words here'].join('\f') });
  await reaches(document, 'done');
  const { pages } = await call('document.pages', { document });
  assert.deepEqual(
    pages.map((page: { state: string; unreadLines: number }) => [page.state, page.unreadLines]),
    [
      ['doubtful', 5],
      ['doubtful', 0],
    ],
  );
});
