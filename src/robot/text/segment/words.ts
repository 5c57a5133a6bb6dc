import { classOf, isHalf, isSpace, isWordUnit } from './character-classes.ts';

const token = /[\p{L}\p{M}\p{N}]+(?:[-'’.,:/@_][\p{L}\p{M}\p{N}]+)*|[^\s]/gu;

/** Words and marks of a sentence, one by one: `www.pismak.cz`, `1,5` and `česko-slovenský` stay together. */
export function tokensOf(sentence: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < sentence.length; ) {
    if (classOf(sentence.charCodeAt(at)) === isSpace) {
      at += 1;
      continue;
    }
    const to = tokenEnd(sentence, at);
    if (to < 0) return sentence.match(token) ?? [];
    tokens.push(sentence.slice(at, to));
    at = to;
  }
  return tokens;
}

/** Where the token ends that begins here; -1 if only a regular expression can tell. */
export function tokenEnd(sentence: string, from: number): number {
  const kind = classOf(sentence.charCodeAt(from));
  if (kind === isHalf) return -1;
  let at = from + 1;
  if (kind !== isWordUnit) return at;
  for (const { length } = sentence; at < length; ) {
    const next = sentence.charCodeAt(at);
    const nextKind = classOf(next);
    if (nextKind === isHalf) return -1;
    if (nextKind === isWordUnit) at += 1;
    else if (joins(next) && at + 1 < length && classOf(sentence.charCodeAt(at + 1)) === isWordUnit) at += 2;
    else break;
  }
  return at;
}

/** - ' ’ . , : / @ _ between two letters belong to the word. */
function joins(code: number): boolean {
  return (
    (code >= 44 && code <= 47) || code === 39 || code === 0x2019 || code === 58 || code === 64 || code === 95
  );
}

/** How many words a text has, and how many of its characters are letters. One loop: regular expressions took ten times as long. */
export function measure(text: string): { words: number; letters: number } {
  let words = 0;
  let letters = 0;
  let inWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isLetterCode(code)) {
      letters += 1;
      if (!inWord) words += 1;
      inWord = true;
    } else if (code >= 48 && code <= 57) {
      if (!inWord) words += 1;
      inWord = true;
    } else if (code !== 45 && code !== 39 && code !== 0x2019) inWord = false;
  }
  return { words, letters };
}

/** Letters of all scripts, and what is no punctuation, space or sign. */
export function isLetterCode(code: number): boolean {
  return code < latin.length ? latin[code] === 1 : isLetterByRule(code);
}

function isLetterByRule(code: number): boolean {
  if (code < 0x80) return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
  if (code < 0xc0) return code === 0xaa || code === 0xb5 || code === 0xba;
  if (code === 0xd7 || code === 0xf7) return false;
  return !(
    (code >= 0x2000 && code <= 0x2bff) ||
    (code >= 0x3000 && code <= 0x3004) ||
    (code >= 0x3008 && code <= 0x3030) ||
    code >= 0xff00
  );
}

/** Latin letters, which most texts have, in a table. */
const latin = Uint8Array.from({ length: 0x250 }, (_, code) => Number(isLetterByRule(code)));
