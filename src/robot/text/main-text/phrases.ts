import { at } from './features.ts';

const phrases: readonly [feature: number, pattern: RegExp][] = [
  [
    at.saysPromo,
    /subscri|newsletter|sign (?:up|in)|log in|click here|read (?:more|also)|also read|see also|more:|related|advertis|download|follow (?:us|me)|like us|share (?:this|on)|donate|přihla|odebír|číst dál|čtěte|sdílet|více|registr|cookies/i,
  ],
  [
    at.saysByline,
    /^(?:by|written by|posted by|author|autor|od|text|foto|photo|image|picture|source|zdroj|credit|©)\b[:\s]/i,
  ],
  [
    at.saysDate,
    /\b(?:\d{1,2}[./-]\s?\d{1,2}[./-]\s?\d{2,4}|\d{4}-\d{2}-\d{2}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2},? \d{4}|\d+ (?:hours?|days?|minutes?) ago|\d{1,2}:\d{2})\b/i,
  ],
  [
    at.saysCopyright,
    /©|copyright|all rights reserved|všechna práva|terms of (?:use|service)|privacy policy/i,
  ],
  [at.saysComment, /\b(?:comments?|repl(?:y|ies)|komentář|diskuse|respond)\b/i],
];
/** Such phrases stand at the beginning. */
export const phraseLength = 200;

/** Of those patterns, the ones whose phrases all begin with one of these; only a text that has one of them is searched. */
const beginnings: readonly [feature: number, words: string][] = [
  [
    at.saysPromo,
    'subs|news|sign|log |clic|read|also|see |more|rela|adve|down|foll|like|shar|dona|přih|odeb|číst|čtět|sdíl|více|regi|cook',
  ],
  [at.saysCopyright, 'copy|all |všec|term|priv'],
  [at.saysComment, 'comm|repl|kome|disk|resp'],
];
/** A bit for each of them; 0 for a pattern that is always tried. */
const guards = phrases.map(([feature]) => {
  const index = beginnings.findIndex(([other]) => other === feature);
  return index < 0 ? 0 : 1 << index;
});

/** A number below 64 for each letter that they have, small or capital; 0 for all others. */
const letters = new Uint8Array(0x180);
/** Which patterns may match where four such letters stand, found by 12 bits that are made of them: rarely by mistake. */
const mayMatch = new Uint8Array(1 << 12);
for (const letter of new Set(beginnings.flatMap(([, words]) => [...words.replaceAll('|', '')]))) {
  const number = Math.max(...letters) + 1;
  for (const each of [letter, letter.toUpperCase()]) letters[each.charCodeAt(0)] = number;
}
for (const [index, [, words]] of beginnings.entries())
  for (const word of words.split('|')) {
    let four = 0;
    for (const letter of word) four = nextFour(four, letter.charCodeAt(0));
    mayMatch[placeOf(four)] = (mayMatch[placeOf(four)] as number) | (1 << index);
  }

const copyrightGuard = guards[phrases.findIndex(([feature]) => feature === at.saysCopyright)] as number;

function nextFour(four: number, code: number): number {
  return ((four << 6) | (code < 0x180 ? (letters[code] as number) : 0)) & 0xffffff;
}

function placeOf(four: number): number {
  return (four ^ (four >>> 11)) & 0xfff;
}

function patternsToTry(text: string): number {
  let four = 0;
  let found = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    four = nextFour(four, code);
    found |= mayMatch[placeOf(four)] as number;
    if (code === 0xa9) found |= copyrightGuard;
  }
  return found;
}

/** The features that a text sets by what it says. */
export function phrasesIn(text: string, hasDigits: boolean): number[] {
  const start = text.length > phraseLength ? text.slice(0, phraseLength) : text;
  const found: number[] = [];
  const tried = patternsToTry(start);
  for (let index = 0; index < phrases.length; index += 1) {
    const [feature, pattern] = phrases[index] as (typeof phrases)[number];
    if (feature === at.saysDate && !hasDigits) continue;
    const guard = guards[index] as number;
    if (guard !== 0 && (tried & guard) === 0) continue;
    if (pattern.test(start)) found.push(feature);
  }
  return found;
}
