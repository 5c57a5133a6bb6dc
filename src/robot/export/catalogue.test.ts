import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fingerprint } from '../text/fingerprint.ts';
import { Catalogue, type CataloguedDocument, type CorpusChoice } from './catalogue.ts';

const usual: CorpusChoice = { versions: 'latest', duplicates: false };
const words = 'kronika obce se psala dlouhá léta a každý večer ji písmák četl dětem které poslouchaly'.split(
  ' ',
);
const longText = (seed: number, count = 300) =>
  Array.from(
    { length: count },
    (_, index) => words[(index * seed + ((index * index) % 7)) % words.length],
  ).join(' ');

function document(url: string, text: string, fetchedAt = 0): CataloguedDocument {
  return { url, fetchedAt, words: text.split(' ').length, ...fingerprint(text) };
}

function chosenUrls(documents: readonly CataloguedDocument[], choice = usual): string[] {
  const catalogue = new Catalogue(choice);
  for (const each of documents) catalogue.add(each);
  const chosen = catalogue.chosen();
  return documents.flatMap(({ url, fetchedAt }, id) => (chosen[id] ? [`${url} ${fetchedAt}`] : [])).sort();
}

test('of equal and nearly equal texts one stays, the same whatever the order', () => {
  const text = longText(3);
  const documents = [
    document('http://a.cz/copy', text),
    document('http://a.cz/', text.toUpperCase()),
    document('http://b.cz/nearly-the-same', `${text} konec`),
    document('http://c.cz/', longText(5)),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(documents, { minLength: documents.length }), (shuffled) =>
      assert.deepEqual(chosenUrls(shuffled), ['http://a.cz/ 0', 'http://c.cz/ 0']),
    ),
  );
  assert.equal(chosenUrls(documents, { ...usual, duplicates: true }).length, 4);
});

test('texts that are alike only through others belong together, whichever comes first', () => {
  const base = 0x1234_5678_9abc_def0n;
  const at = (url: string, near: bigint) => ({
    url,
    fetchedAt: 0,
    words: 100,
    exact: fingerprint(url).exact,
    near,
  });
  const chain = [0n, 0x7n, 0x7en << 0n, 0x7f0n].map((bits, index) => at(`http://a.cz/${index}`, base ^ bits));
  const far = at('http://far.cz/', ~base & 0xffff_ffff_ffff_ffffn);
  const first = chosenUrls([...chain, far]);
  fc.assert(
    fc.property(fc.shuffledSubarray([...chain, far], { minLength: 5 }), (shuffled) =>
      assert.deepEqual(chosenUrls(shuffled), first),
    ),
  );
});

test('the latest version of a page makes the corpus, or all of them', () => {
  const [before, after] = [longText(3), `${longText(3)} a něco nového`];
  const documents = [document('http://a.cz/', before, 1), document('http://a.cz/', after, 2)];
  assert.deepEqual(chosenUrls(documents), ['http://a.cz/ 2']);
  assert.equal(chosenUrls(documents, { ...usual, versions: 'all' }).length, 2);
});

test('what was kept in a file goes on where it was', () => {
  const first = new Catalogue(usual);
  assert.equal(first.add(document('http://a.cz/', longText(3))), true);
  const second = new Catalogue(usual, Buffer.from(first.entries()));
  assert.equal(second.add(document('http://b.cz/', longText(3))), false);
  assert.equal(second.add(document('http://b.cz/', longText(5))), true);
  assert.deepEqual([...second.chosen()], [1, 0, 1]);
});
