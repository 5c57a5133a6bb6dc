import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mendWord } from './mend-fraktur.ts';

const pairs: [read: string, printed: string][] = [
  ['dur<', 'durch'],
  ['wel<he', 'welche'],
  ['Wochenberic<t', 'Wochenbericht'],
  ['Innsbru>.', 'Innsbruck.'],
  ['zurüd>', 'zurück'],
  ['gedrü>kt', 'gedrückt'],
  ['{wer', 'ſchwer'],
  ['{hle<te', 'ſchlechte'],
  ['ſ{<önen', 'ſchönen'],
  ['\\{<uldig', 'ſchuldig'],
  ['Schlo\\ſers', 'Schloſſers'],
];
for (const [read, printed] of pairs) {
  test(`${read} is ${printed}`, () => assert.equal(mendWord(read), printed));
}

test('marks that are not in a word stay', () => {
  for (const text of ['<', '>', '{', '3>2', '{a}', 'Haus']) assert.equal(mendWord(text), text);
});
