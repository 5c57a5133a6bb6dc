import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runProcessor } from '../../engine/processor/run-processor.ts';
import { typedLine } from '../formats/testing/pages.ts';
import { parseKeywordsConfig } from './config.ts';
import keywords from './keywords.ts';

async function keywordsOf(lines: readonly string[], language = 'ces', config = '') {
  const box = { left: 100, top: 100, width: 500, height: 500 };
  const typed = lines.map((text, index) => typedLine(100 + 50 * index, text));
  const page = {
    width: 1000,
    height: 1000,
    regions: [{ kind: 'text', box, paragraphs: [{ box, lines: typed }] }],
  };
  const order = { document: 'd', page: 1, name: 'p', language };
  const { files } = await runProcessor(keywords, {
    config,
    files: { 'order.json': JSON.stringify(order), 'page.json': JSON.stringify(page) },
  });
  return JSON.parse(files['keywords.json'] ?? '');
}

test('keywords are words that the page repeats, without stop words and with diacritics', async () => {
  const found = await keywordsOf([
    'Žďár leží na řece a Žďár je na dráze,',
    'protože řece, která je u něj, se říká řeka.',
    '1923 12',
  ]);
  assert.deepEqual(found.keywords.slice(0, 2), [
    { word: 'řece', count: 2 },
    { word: 'Žďár', count: 2 },
  ]);
  const words = found.keywords.map(({ word }: { word: string }) => word);
  for (const word of ['protože', 'která', 'na', '1923']) assert.ok(!words.includes(word), word);
  assert.equal(found.words, 18);
  assert.equal(found.language, 'ces');
});

test('a word hyphenated across two lines counts as one, and case doesn’t matter', async () => {
  const found = await keywordsOf(
    ['Obecní zastupi-', 'telstvo. ZASTUPITELSTVO', 'a zastupitelstvo'],
    'ces',
    'KEYWORDS = 1',
  );
  assert.deepEqual(found.keywords, [{ word: 'zastupitelstvo', count: 3 }]);
});

test('each language has its own stop words', async () => {
  const lines = ['der Wald und protože'];
  assert.deepEqual((await keywordsOf(lines, 'deu_latf+ces')).keywords, [{ word: 'Wald', count: 1 }]);
  assert.equal((await keywordsOf(lines, 'eng')).keywords.length, 4);
});

test('a wrong configuration is refused', () => {
  assert.throws(() => parseKeywordsConfig('KEYWORDS = many'), /KEYWORDS must be a number/);
});
