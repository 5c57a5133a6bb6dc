import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenExpressions } from './expressions/check.ts';
import { collect } from './expressions/collect.ts';
import { readVerdicts } from './expressions/verdicts.ts';
import { productSources, verdictsFor } from './expressions.ts';

test('every regular expression of the product is linear, or says beside it why its input is small enough', async () => {
  const sources = productSources();
  const verdicts = await verdictsFor(sources, readVerdicts());
  assert.ok(verdicts.size > 500, `only ${verdicts.size} expressions were found`);
  assert.deepEqual(brokenExpressions(sources, verdicts), []);
});

/** What the check says about a file of these lines. */
function foundIn(...lines: string[]): string[] {
  const verdicts = new Map([
    ['/a+b/y', 'safe'],
    ['/(a+)+$/', 'vulnerable, exponential'],
  ]);
  return brokenExpressions(new Map([['a.ts', lines.join('\n')]]), verdicts);
}

const refused: [line: string, message: RegExp][] = [
  ['const bad = /(a+)+$/;', /a\.ts:1: \/\(a\+\)\+\$\/ is not linear \(vulnerable, exponential\)/],
  ['x(`\u0024{a / 2} \u0024{/(a+)+$/.test(`/`)}`);', /a\.ts:1: \/\(a\+\)\+\$\/ is not linear/],
  ['const unknown = /a+b/;', /a\.ts:1: \/a\+b\/ is not linear \(not judged\)/],
  ['const built = new RegExp(`^\u0024{name}`);', /a\.ts:1: RegExp\(\.\.\.\) can't be checked/],
  ['const built = RegExp(name);', /a\.ts:1: RegExp\(\.\.\.\) can't be checked/],
  ['const fine = /a+b/y; // linear: at most 9 characters', /a\.ts:1: \/a\+b\/y is linear: remove the comm/],
  ['// linear: at most 9 characters\nconst none = 1;', /a\.ts:1: the comment \/\/ linear: is beside no/],
  ['// linear:\nconst bad = /(a+)+$/;', /a\.ts:2: .* is not linear/],
];
for (const [line, message] of refused) {
  test(`the check refuses ${line}`, () => {
    const found = foundIn(line);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', message);
  });
}

test('a reason stands at the end of the line, or above it, also over several lines', () => {
  const bad = 'const bad = /(a+)+$/;';
  const reason = '// linear: at most 9 characters,';
  assert.deepEqual(foundIn(`${bad} ${reason}`, 'new RegExp(x); // linear: y'), []);
  assert.deepEqual(foundIn(reason, '// which are cut in x', bad), []);
  assert.equal(foundIn(reason, 'x();', bad).length, 2);
});

test('divisions, comments, texts and templates are no expressions', () => {
  const source = [
    'const half = this.#sum / 2 / (a[1] / b) / 3; // or /a+/',
    "const text = '/a+/' + `/a+/ \u0024{{ a: x / 2 }.a} /a+/`;",
    'const first = /[/]"/g.test(text) ? /\\/`/ : { b: /c/ };',
  ].join('\n');
  const { expressions } = collect('a.ts', source);
  assert.deepEqual(
    expressions.map(({ line, text }) => `${line} ${text}`),
    ['3 /[/]"/g', '3 /\\/`/', '3 /c/'],
  );
});
