import { abbreviations, mayEnd } from './abbreviations.ts';

const end = /[.?!…]+[)\]"'“”’»›‘]*(?=\s|$)/gu;
const opensSentence = /^["'„“»«‚‘([–—-]*\s*["'„“»«‚‘([]*[\p{Lu}\p{N}]/u;
const romanNumber = /^[IVXLCDM]+$/;

/** Sentences of a paragraph without line breaks. Czech abbreviations, initials, ordinals and dates do not end one. */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let from = 0;
  end.lastIndex = 0;
  for (const match of paragraph.matchAll(end)) {
    const to = match.index + match[0].length;
    if (to >= paragraph.length) break;
    if (!endsHere(paragraph, from, match.index, match[0], to)) continue;
    const sentence = paragraph.slice(from, to).trim();
    if (sentence !== '') sentences.push(sentence);
    from = to;
  }
  const rest = paragraph.slice(from).trim();
  if (rest !== '') sentences.push(rest);
  return sentences;
}

function endsHere(text: string, from: number, stop: number, mark: string, to: number): boolean {
  const next = text.slice(to, to + 40).trimStart();
  // "Kam jdeš?" zeptal se. A sentence begins with a capital or a number.
  if (!opensSentence.test(next)) return false;
  if (!mark.startsWith('.') || mark.startsWith('..')) return true;
  const before = text.slice(Math.max(from, stop - 30), stop);
  const [word = ''] = /[\p{L}\p{N}.]*$/u.exec(before) ?? [];
  if (word === '') return true;
  const first = from + text.slice(from, stop).search(/\S/) + word.length >= stop;
  // "1. Úvod", "J. Novák", "Karel IV. Lucemburský", "5. 6. 1998".
  if (/^\d+$/.test(word)) return !first && !/^\d/.test(next);
  if (/^(?:\d+\.)+\d+$/.test(word)) return !first;
  if (word.length === 1) return /\p{Ll}/u.test(word) && mayEnd.has(word) && !/^\p{Lu}\.|^\p{Ll}/u.test(next);
  if (romanNumber.test(word)) return false;
  const lower = word.toLowerCase();
  if (mayEnd.has(lower)) return true;
  return !abbreviations.has(lower) && !abbreviations.has(lower.slice(lower.lastIndexOf('.') + 1));
}
