import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectLanguage } from '../language/language.ts';
import { segment } from './segment.ts';
import { splitSentences } from './sentences.ts';
import { tokensOf } from './words.ts';

const sentences: [claim: string, sentences: string[]][] = [
  [
    'abbreviations and titles',
    [
      'Ing. Jan Novák, CSc., např. řekl tzv. pravdu.',
      'Pak odešel atd.',
      'Druhý den přišel prof. MUDr. Karel Malý.',
    ],
  ],
  [
    'dates and ordinals',
    [
      'Dne 5. 6. 1998 v 10.30 hod. začala 21. schůze.',
      'V roce 1918. století šlo dál.',
      'Narodil se 28. října 1918.',
      'Zemřel.',
    ],
  ],
  ['initials and kings', ['T. G. Masaryk a J. A. Komenský.', 'Karel IV. Lucemburský byl císař.']],
  ['questions, calls and quotes', ['„Kam jdeš?“ zeptal se.', '„Nikam!“', 'Odešla…', 'Nevrátila se.']],
  [
    'addresses and numbers',
    ['Pište na jan.novak@example.cz nebo na www.example.cz.', 'Stojí 1.500,50 Kč.', 'Hotovo.'],
  ],
  [
    'abbreviations that are also words',
    [
      'Bylo mu sto let.',
      'Spadl na zem.',
      'Ujel 10 km.',
      'Přišel Jan.',
      'Řekl pár slov.',
      'Pak jel k nám.',
      'To bylo na nám. Míru.',
    ],
  ],
  [
    'kings, titles and letters at the end of a sentence',
    [
      'Bylo to za Karla IV.',
      'V roce 1378 zemřel.',
      'Mluvil Jan Malý, CSc.',
      'Potom prof. Karel Novák, Ph.D. z Brna.',
      'Vitamín C.',
      'Na konci bylo -5 °C.',
      'Sněžilo.',
    ],
  ],
  [
    'years and days',
    [
      'Knihu vydal r. 1610 v Římě.',
      'Zůstal do roku 2005.',
      '29. dubna odjel.',
      'Platí od 1. 3. - 5. 4. 2006.',
      'Viz položku B.II.6. Jiný majetek.',
    ],
  ],
  ['notes and quotations', ['Tak to říká kniha.[12][13]', 'Jiní ne.[4]', '„Pojď k nám.“', 'Šel.']],
  ['firms', ['Vyrábí to ABC s.r.o. v Brně.', 'Dodává XYZ a. s. Praha.']],
];

for (const [claim, expected] of sentences) {
  test(`sentences are told apart despite ${claim}`, () =>
    assert.deepEqual(splitSentences(expected.join(' ')), expected));
}

test('words with hyphens, numbers and addresses stay whole, marks stand alone', () => {
  assert.deepEqual(tokensOf('Česko-slovenský „svět“, 1,5 % (www.a.cz)!'), [
    'Česko-slovenský',
    '„',
    'svět',
    '“',
    ',',
    '1,5',
    '%',
    '(',
    'www.a.cz',
    ')',
    '!',
  ]);
});

const czech =
  'Obecní kroniku začal psát roku 1921 místní učitel. Popsal v ní velkou povodeň, která tehdy zničila most i mlýn.\n\nLidé si pomáhali, jak mohli. Most postavili znovu do podzimu a mlynář dostal od obce půjčku.\n\n';

test('paragraphs have sentences, and fragments are dropped', () => {
  const {
    paragraphs,
    sentences: count,
    words,
    language,
  } = segment(`Domů\nKontakty\n\n${czech}© 2024`, { languages: ['cs'] });
  assert.deepEqual(
    paragraphs.map((paragraph) => paragraph.length),
    [2, 2],
  );
  assert.equal(count, 4);
  assert.equal(words, 35);
  assert.equal(language, 'cs');
});

test('wrapped lines are one sentence, lines of a list are not', () => {
  const wrapped = segment(
    'Obecní kroniku začal psát roku 1921 místní učitel a po-\npsal v ní velkou povodeň,\nkterá zničila most.',
    { languages: [] },
  );
  assert.deepEqual(wrapped.paragraphs, [
    ['Obecní kroniku začal psát roku 1921 místní učitel a popsal v ní velkou povodeň, která zničila most.'],
  ]);
  const list = segment('První položka má čtyři slova\nDruhá položka má také čtyři', { languages: [] });
  assert.equal(list.sentences, 2);
});

test('running text in a wanted language is useful, lists of links and other languages are not', () => {
  const useful = segment(czech.repeat(3), { languages: ['cs', 'sk'] }).usability;
  const links = segment('Úvod\nO nás\nKontakty\nMapa stránek\nCeník\n'.repeat(20), {
    languages: ['cs'],
  }).usability;
  const foreign = segment(czech.repeat(3), { languages: ['en'] }).usability;
  assert.ok(useful > 0.8, `useful ${useful}`);
  assert.ok(links < 0.2, `links ${links}`);
  assert.equal(foreign, 0);
  assert.ok(segment(czech, { languages: [] }).usability > 0.4);
  assert.equal(segment('', { languages: ['cs'] }).usability, 0);
});

const languages: [language: string, text: string][] = [
  ['cs', 'Dnes ráno jsme jeli vlakem do Brna a cestou pršelo.'],
  ['cs', 'Prosim vas, kdy bude dalsi schuze a kdo tam vsechno prijde?'],
  ['cs', 'Zakaznik muze zbozi vratit do ctrnacti dnu, pokud neni pouzite.'],
  ['cs', 'Co chce ten pán a odkud to má?'],
  ['cs', 'Odkud to víš a co tam máš?'],
  ['sk', 'V súkromí vykonal obrad.'],
  ['sk', 'Publikoval najmä v zahraničí.'],
  ['sk', 'Dnes ráno sme išli vlakom do Košíc a cestou pršalo.'],
  ['sk', 'Prosim vas, kedy bude dalsia schodza a kto tam vsetko pride?'],
  ['sk', 'Zakaznik moze tovar vratit do strnastich dni, ak nie je pouzity.'],
  ['en', 'The train was late again and nobody knew why.'],
  ['de', 'Der Zug hatte wieder Verspätung, und niemand wusste warum.'],
  ['pl', 'Pociąg znowu się spóźnił i nikt nie wiedział dlaczego.'],
];

for (const [language, text] of languages) {
  test(`"${text}" is ${language}`, () => assert.equal(detectLanguage(text).language, language));
}

test('Czech names do not make a text Czech, Czech words do', () => {
  const names = 'Jiří Dvořák, Bohuslav Martinů, Ondřej Němec, Zdeněk Kovář, Řehoř Růžička, Břetislav Lesař';
  const english = `${names} met here. ${'The train was late again and nobody knew why. '.repeat(20)}`;
  assert.equal(detectLanguage(english).language, 'en');
  const czech = `${names} se sem sjeli. ${'Vlak jel pozdě, ale kdo zde pak chtěl zpět, nebo jen spal, ten podle knihy byl zde. '.repeat(2)}${'Vlak zase stál na trati. '.repeat(30)}`;
  assert.equal(detectLanguage(czech).language, 'cs');
});

test('a text without words has no language', () => {
  assert.deepEqual(detectLanguage(' 123 … '), { language: '', score: 0 });
});
