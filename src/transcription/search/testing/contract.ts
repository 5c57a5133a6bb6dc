import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PismakError } from '../../../engine/ground/errors.ts';
import type { Database } from '../../database/database.ts';
import { parseQuery } from '../query.ts';
import { createTextIndex, ownerWord } from '../text-index.ts';

/** The searches that every database must answer alike. */
export function searchContract(
  name: string,
  open: (test: { after(work: () => Promise<void>): void }) => Promise<Database>,
): void {
  test(`${name}: finds words, phrases and prefixes of the owner and document asked for`, async (t) => {
    const database = await open(t);
    const index = createTextIndex(database);
    const texts = [
      {
        page: 'p1',
        document: 'd1',
        owner: 'anna',
        text: 'Příliš žluťoučký kůň úpěl ďábelské ódy\nv roce 1907',
      },
      { page: 'p2', document: 'd1', owner: 'anna', text: 'Kůň žluťoučký, příliš dlouhý' },
      { page: 'p3', document: 'd2', owner: 'bert', text: 'příliš' },
    ];
    await database.transaction(async (transaction) => {
      for (const text of texts) await index.put(transaction, text);
    });
    const find = async (words: string, of: { owner?: string; document?: string } = {}) =>
      (await index.search({ terms: parseQuery(words), ...of, offset: 0, limit: 10 })).sort();
    assert.deepEqual(await find('prilis'), ['p1', 'p2', 'p3']);
    assert.deepEqual(await find('PŘÍLIŠ kun'), ['p1', 'p2']);
    assert.deepEqual(await find('"žluťoučký kůň"'), ['p1']);
    assert.deepEqual(await find('dab*'), ['p1']);
    assert.deepEqual(await find('"prilis zlut"*'), ['p1']);
    assert.deepEqual(await find('1907'), ['p1']);
    assert.deepEqual(await find('dab'), []);
    assert.deepEqual(await find('prilis', { owner: 'bert' }), ['p3']);
    assert.deepEqual(await find('prilis', { document: 'd1' }), ['p1', 'p2']);

    await database.transaction((transaction) =>
      index.put(transaction, { page: 'p1', document: 'd1', owner: 'anna', text: 'něco jiného' }),
    );
    assert.deepEqual(await find('prilis'), ['p2', 'p3'], 'new text replaces the old text of a page');
    await database.transaction((transaction) => index.removePages(transaction, ['p1', 'p2']));
    assert.deepEqual(await find('prilis'), ['p3']);
    await database.transaction((transaction) => index.removePages(transaction, ['p3']));
    assert.deepEqual(await find('prilis'), []);
  });

  test(`${name}: pages of others neither show up nor cost anything`, async (t) => {
    const database = await open(t);
    const index = createTextIndex(database);
    const owners = ['anna', 'Anna', 'a b', '"', 'k\u016f\u0148', 'anna2'];
    await database.transaction(async (transaction) => {
      for (const owner of owners)
        await index.put(transaction, {
          page: `of ${owner}`,
          document: 'd',
          owner,
          text: `word anna ${owner}`,
        });
      // A text can't claim to be somebody else's.
      const text = `word ${ownerWord('anna')} §616e6e61`;
      await index.put(transaction, { page: 'trick', document: 'd', owner: 'mallory', text });
    });
    const find = (words: string, owner?: string) =>
      index.search({ terms: parseQuery(words), owner, offset: 0, limit: 10 });
    for (const owner of owners) assert.deepEqual(await find('word', owner), [`of ${owner}`]);
    assert.deepEqual(await find('word', 'nobody'), []);
    assert.equal((await find('word')).length, owners.length + 1);
    assert.deepEqual(await find(ownerWord('anna')), ['trick'], 'a word of the text, without the sign');
  });

  test(`${name}: no query and no page text causes an error`, async (t) => {
    const database = await open(t);
    const index = createTextIndex(database);
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(
        `"a" OR b*`,
        `') OR 1=1 --`,
        'NEAR(a b)',
        `'a':* & !b`,
        'a\0b',
        '"a',
        '12e5',
        'a'.repeat(500),
      ),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (text, words) => {
        await database.transaction((transaction) =>
          index.put(transaction, { page: 'p', document: 'd', owner: 'o', text }),
        );
        try {
          await index.search({ terms: parseQuery(words), offset: 0, limit: 1 });
        } catch (error) {
          assert.ok(error instanceof PismakError && error.code === 'invalid-input', String(error));
        }
        // A query of all words of a page finds the page.
        let own: ReturnType<typeof parseQuery>;
        try {
          own = parseQuery(text.replaceAll(/["*]/g, ' '));
        } catch {
          return;
        }
        assert.equal(
          (await index.search({ terms: own, offset: 0, limit: 1 })).length,
          1,
          JSON.stringify(text),
        );
      }),
      { numRuns: 80 },
    );
  });
}
