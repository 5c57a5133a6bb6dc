import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenExpressions } from './expressions/check.ts';
import { collect } from './expressions/collect.ts';
import { judge, readVerdicts, safe } from './expressions/verdicts.ts';
import { productSources, verdictsFor } from './expressions.ts';

test('every regular expression of the product is linear, or says beside it why its input is small enough', async () => {
  const sources = productSources();
  const verdicts = await verdictsFor(sources, readVerdicts());
  assert.ok(verdicts.size > 500, `only ${verdicts.size} expressions were found`);
  assert.deepEqual(brokenExpressions(sources, verdicts), []);
});

/** What the check says about a file of these lines. */
async function foundIn(...lines: string[]): Promise<string[]> {
  const sources = new Map([['a.ts', lines.join('\n')]]);
  return brokenExpressions(sources, await verdictsFor(sources, new Map()));
}

const refused: [line: string, message: RegExp][] = [
  ['const bad = /(a+)+$/;', /a\.ts:1: \/\(a\+\)\+\$\/ is not linear \(vulnerable, exponential/],
  ["return text.replace(/\\s+$/u, '');", /is not linear \(vulnerable, 2nd degree/],
  ['x(`\u0024{count / 2} \u0024{y.replace(/,+$/, z)}`);', /is not linear \(vulnerable, 2nd degree/],
  // One search is linear; a loop over its matches is not.
  ["text.replaceAll(/<!--[^]*?-->|</g, '');", /is not linear \(vulnerable, 2nd degree polynomial: <!--/],
  ['const built = new RegExp(`^\u0024{name}`);', /a\.ts:1: RegExp\(\.\.\.\) can't be checked/],
  ['const built = RegExp(name);', /a\.ts:1: RegExp\(\.\.\.\) can't be checked/],
  [
    'const fine = /a+b/y; // linear: at most 9 characters',
    /a\.ts:1: \/a\+b\/y is linear: remove the comment/,
  ],
  ['// linear: at most 9 characters\nconst none = 1;', /a\.ts:1: the comment \/\/ linear: is beside no/],
  ['// linear:\nconst bad = /(a+)+$/;', /a\.ts:2: .* is not linear/],
];
for (const [line, message] of refused) {
  test(`the check refuses ${line}`, async () => {
    const found = await foundIn(line);
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', message);
  });
}

test('a reason stands at the end of the line, or above it, also over several lines', async () => {
  const bad = 'const bad = /(a+)+$/;';
  assert.deepEqual(await foundIn(`${bad} // linear: at most 9 characters`), []);
  assert.deepEqual(
    await foundIn(
      '// linear: at most 9 characters,',
      '// which are cut in x',
      bad,
      'new RegExp(x); // linear: y',
    ),
    [],
  );
  assert.equal((await foundIn('// linear: at most 9 characters', 'x();', bad)).length, 2);
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

test('what cannot be decided in time is not linear', async () => {
  assert.match(await judge('/\\b(?:a|b)\\b.{0,60}\\bnot (?:c|d)/', 1), /^unknown, timeout/);
  assert.equal(await judge('/a+b/y'), safe);
});
