import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLanguage, installedNames } from './language.ts';

test('an unknown language is refused with a list of the installed ones', () => {
  assert.throws(() => checkLanguage('ces+xyz', ['ces', 'deu']), /no model for xyz here; installed: ces, deu/);
  checkLanguage('ces+deu', ['ces', 'deu']);
});

test('a language can be neither a path nor an option', () => {
  for (const bad of ['', '../../etc/passwd', '-l', '--psm', 'a b', 'a+', '/abs', 'a/b/c', 'ces\n'])
    assert.throws(() => checkLanguage(bad, undefined), /invalid language/, bad);
});

test('a script is found with and without its folder', () => {
  assert.equal(installedNames('script/Fraktur+deu', ['Fraktur', 'deu']), 'Fraktur+deu');
  assert.equal(installedNames('Fraktur', ['script/Fraktur', 'deu']), 'script/Fraktur');
  assert.equal(installedNames('Latin', ['deu']), 'Latin');
});
