import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { choice, flag, number, parseStageConfig, shellLine, words } from './stage-config.ts';

const settings = {
  DESKEW: flag(true, 'straightens lines'),
  DPI: number(300, 'dots per inch', { min: 72, max: 1200 }),
  MODE: number(undefined, 'a number of its own', { whole: true }),
  METHOD: choice('none', ['otsu', 'sauvola'], 'how it is done'),
  MODEL: words('', 'a file of the stage'),
  COMMAND: shellLine('', 'a program'),
};
const defaults = { DESKEW: true, DPI: 300, MODE: undefined, METHOD: 'none', MODEL: '', COMMAND: '' };

test('an empty configuration means the defaults', () => {
  assert.deepEqual(parseStageConfig('', settings), defaults);
  assert.deepEqual(parseStageConfig('# nothing\n; here\n[SECTION] # either\n', settings), defaults);
});

test('keys are read in any case, with Windows line ends, and values may hold =', () => {
  const text = '\ufeffdeskew = off\r\nDPI=200\r\nMethod = Otsu\r\nMODEL = a=b.bin\r\nMode = -7';
  const expected = { DESKEW: false, DPI: 200, METHOD: 'otsu', MODEL: 'a=b.bin', MODE: -7, COMMAND: '' };
  assert.deepEqual(parseStageConfig(text, settings), expected);
});

const models: [line: string, value: string][] = [
  ['MODEL = a.bin # the small one', 'a.bin'],
  ['MODEL = a.bin\t; the small one', 'a.bin'],
  ['MODEL = c#.bin', 'c#.bin'],
  ['MODEL = a;b', 'a;b'],
  ['MODEL = # none yet', ''],
  ['  # MODEL = a.bin', ''],
  ['MODEL = "a #1.bin" # the first', 'a #1.bin'],
  ['MODEL = \' a "b" \'', ' a "b" '],
  ['MODEL = ""', ''],
  ["MODEL = don't # worry", "don't"],
];
for (const [line, value] of models) {
  test(`a comment begins at the start of a line or after white space, outside quotes: ${line}`, () => {
    assert.equal(parseStageConfig(line, settings).MODEL, value);
  });
}

test('a shell line reaches the shell unchanged', () => {
  const line = `ocr --x=1 "$(name "a #1")" ; echo 'done' # really`;
  assert.equal(parseStageConfig(`COMMAND = ${line}`, settings).COMMAND, line);
  assert.equal(parseStageConfig(`command = ${line}`, settings).COMMAND, line);
});

test('any quoted value is read literally', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !/["\n]/.test(value));
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(parseStageConfig(`MODEL = "${value}" # note`, settings).MODEL, value);
    }),
  );
});

const refused: [text: string, reason: RegExp][] = [
  ['DESKEW', /line 1: expected KEY = value, found: DESKEW/],
  ['\nDESKWE = yes', /line 2: unknown key DESKWE; did you mean DESKEW\? known: DESKEW, DPI/],
  ['COLOUR = red', /unknown key COLOUR; known: DESKEW/],
  ['constructor = 1', /unknown key/],
  ['DPI = 200\n\ndpi = 300', /line 3: DPI is already set in line 1/],
  ['DESKEW = maybe', /line 1: DESKEW must be yes or no, found: maybe \(DESKEW: straightens lines\)/],
  ['DPI = many', /DPI must be a number, found: many/],
  ['DPI =', /DPI must be a number/],
  ['DPI = Infinity', /DPI must be a number/],
  ['DPI = 300#dots', /DPI must be a number, found: 300#dots/],
  ['# first\nDPI = 10', /line 2: DPI must be at least 72, found: 10 \(DPI: dots per inch\)/],
  ['DPI = 9999', /DPI must be at most 1200/],
  ['MODE = 1.5', /MODE must be a whole number/],
  ['METHOD = magic', /METHOD must be one of none, otsu, sauvola, found: magic/],
  ['MODEL = "a', /line 1: the quote " is not closed/],
  ['MODEL = "a" b', /line 1: only a comment may follow the closing ", found: b/],
];
for (const [text, reason] of refused) {
  test(`the error says what is wrong with ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseStageConfig(text, settings), reason);
  });
}
