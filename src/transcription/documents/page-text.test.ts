import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCode } from '../../engine/ground/errors.ts';
import { bert, runHouse } from '../testing/running-transcription.ts';

test('a viewer gets the lines and words of a page with their places, in the pixels of the image it names', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'unsure words', two: 'unreadable' });
  await reaches(document, 'partly');
  const text = await call('document.text', { document, page: 1 });
  assert.deepEqual([text.number, text.state, text.width, text.height], [1, 'doubtful', 1000, 1400]);
  assert.deepEqual(text.lines, [
    {
      box: [0, 0, 1000, 50],
      paragraph: 0,
      kind: 'text',
      confidence: 0.72,
      words: [
        ['unsure', 0, 0, 90, 50, 0.72],
        ['words', 100, 0, 90, 50, 0.72],
      ],
    },
  ]);
  const failed = await call('document.text', { document, page: 2 });
  assert.deepEqual([failed.state, failed.lines], ['failed', []]);
  await assert.rejects(call('document.text', { document, page: 3 }), (error) => hasCode(error, 'not-found'));
  await assert.rejects(call('document.text', { document, page: 1 }, bert), (error) =>
    hasCode(error, 'not-found'),
  );
});

test('pages say how many of their words are doubtful, and where their small images are', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'scrawl it all\fplain words\fpictured page' });
  await reaches(document, 'done');
  const { pages } = await call('document.pages', { document });
  assert.deepEqual(
    pages.map((page: { doubtfulWords: number | null }) => page.doubtfulWords),
    [3, null, null],
  );
  for (const { id, thumbnail, view } of pages) {
    assert.equal(thumbnail, `/api/v1/document/thumbnail?document=${document}&page=${id}`);
    assert.equal(view, `/api/v1/document/view?document=${document}&page=${id}`);
  }
});

test('a hit names its page, its words and their lines; pages without text are counted', async (t) => {
  const { call, submit, reaches } = await runHouse(t);
  const document = await submit({ one: 'a red fox\fblank\fblank', two: 'unreadable' });
  const other = await submit({ one: 'blank' }, {}, bert);
  await Promise.all([reaches(document, 'partly'), reaches(other, 'done')]);
  const { hits, withoutText } = await call('search.text', { words: 'fox', places: true });
  const { pages } = await call('document.pages', { document });
  assert.deepEqual([hits.length, hits[0].page, hits[0].pageId], [1, 1, pages[0].id]);
  assert.deepEqual(hits[0].places, [
    {
      text: 'fox',
      box: { left: 200, top: 0, width: 90, height: 50 },
      line: { left: 0, top: 0, width: 1000, height: 50 },
      lineNumber: 0,
    },
  ]);
  assert.equal(withoutText, 3, 'only those of the caller');
  assert.equal((await call('search.text', { words: 'fox', document })).withoutText, 3);
});
