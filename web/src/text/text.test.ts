import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageOf } from './language.ts';
import { czech, english } from './plural.ts';
import { sayIn } from './say.ts';

const pages = { one: '# strana', few: '# strany', many: '# strany', other: '# stran' };

test('Czech has four plural forms', () => {
  assert.deepEqual(
    [1, 2, 4, 5, 0, 1.5, 21].map((count) => czech(count, pages)),
    ['1 strana', '2 strany', '4 strany', '5 stran', '0 stran', '1,5 strany', '21 stran'],
  );
  assert.equal(czech(12_345, pages), '12\u00a0345 stran');
  assert.equal(english(12_345, { one: '# page', other: '# pages' }), '12,345 pages');
  assert.equal(english(1, { one: '# page', other: '# pages' }), '1 page');
});

test('the language follows the browser; Slovaks get Czech', () => {
  assert.equal(languageOf(['cs-CZ', 'en']), 'cs');
  assert.equal(languageOf(['sk']), 'cs');
  assert.equal(languageOf(['en-GB', 'cs']), 'cs');
  assert.equal(languageOf(['de', 'en', 'cs']), 'en');
});

test('a text of the server is said in the language of the person if somebody has translated it', () => {
  const sentences = { 'disk.low': ({ free }: { free: string }) => `zbývá jen ${free}` };
  const message = 'only 3 GB are free';
  const sentence = { code: 'disk.low', parameters: { free: '3 GB' } };
  assert.equal(sayIn(sentences, { message, sentence }), 'zbývá jen 3 GB');
  assert.equal(sayIn({}, { message, sentence }), message);
  assert.equal(sayIn(sentences, { message, sentence: { code: 'toString', parameters: {} } }), message);
  assert.equal(sayIn(sentences, { message }), message);
});
