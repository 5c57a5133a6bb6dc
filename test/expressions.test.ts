import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokenExpressions } from '../scripts/expressions/check.ts';
import { judge, safe } from '../scripts/expressions/verdicts.ts';
import { verdictsFor } from '../scripts/expressions.ts';

const planted: [line: string, message: RegExp][] = [
  ['const bad = /^(a+)+$/;', /a\.ts:1: \/\^\(a\+\)\+\$\/ is not linear \(vulnerable, exponential/],
  ["return text.replace(/\\s+$/u, '');", /is not linear \(vulnerable, 2nd degree/],
  // One search is linear; a loop over its matches is not.
  ["text.replaceAll(/<!--[^]*?-->|</g, '');", /is not linear \(vulnerable, 2nd degree polynomial: <!--/],
];
for (const [line, message] of planted) {
  test(`the check of expressions finds the fault in ${line}`, async () => {
    const sources = new Map([['a.ts', line]]);
    const found = brokenExpressions(sources, await verdictsFor(sources, new Map()));
    assert.equal(found.length, 1, found.join('\n'));
    assert.match(found[0] ?? '', message);
  });
}

test('an expression that cannot be decided in time is not linear', async () => {
  assert.match(await judge('/\\b(?:a|b)\\b.{0,60}\\bnot (?:c|d)/', 1), /^unknown, timeout/);
  assert.equal(await judge('/a+b/y'), safe);
});
