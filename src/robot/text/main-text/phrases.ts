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
const phraseLength = 200;

/** The features that a text sets by what it says. */
export function phrasesIn(text: string, hasDigits: boolean): number[] {
  const start = text.length > phraseLength ? text.slice(0, phraseLength) : text;
  const found: number[] = [];
  for (const [feature, pattern] of phrases) {
    if (feature === at.saysDate && !hasDigits) continue;
    if (pattern.test(start)) found.push(feature);
  }
  return found;
}
