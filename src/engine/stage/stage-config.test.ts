import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choice, flag, number, parseStageConfig, words } from './stage-config.ts';

const settings = {
  DESKEW: flag(true),
  DPI: number(300, { min: 72, max: 1200 }),
  METHOD: choice('none', ['otsu', 'sauvola']),
  COMMAND: words(''),
};
const defaults = { DESKEW: true, DPI: 300, METHOD: 'none', COMMAND: '' };

test('an empty configuration means the defaults', () => {
  assert.deepEqual(parseStageConfig('', settings), defaults);
  assert.deepEqual(parseStageConfig('# nothing\n; here\n[SECTION]\n', settings), defaults);
});

test('keys are read in any case, with Windows line ends, and values may hold = and #', () => {
  const config = parseStageConfig(
    'deskew = off\r\nDPI=200\r\nMethod = Otsu\r\nCOMMAND = ocr --x=1 #2',
    settings,
  );
  assert.deepEqual(config, { DESKEW: false, DPI: 200, METHOD: 'otsu', COMMAND: 'ocr --x=1 #2' });
});

const refused: [text: string, reason: RegExp][] = [
  ['DESKEW', /line 1: expected KEY = value/],
  ['\nDESKWE = yes', /line 2: unknown key DESKWE; known: DESKEW, DPI/],
  ['constructor = 1', /unknown key/],
  ['DPI = 200\nDPI = 300', /line 2: DPI is there twice/],
  ['DESKEW = maybe', /DESKEW must be yes or no/],
  ['DPI = many', /DPI must be a number/],
  ['DPI = 10', /DPI must be at least 72/],
  ['DPI = 9999', /DPI must be at most 1200/],
  ['METHOD = magic', /METHOD must be one of none, otsu, sauvola/],
];
for (const [text, reason] of refused) {
  test(`an administrator is told what is wrong with ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseStageConfig(text, settings), reason);
  });
}
