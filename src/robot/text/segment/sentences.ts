import { abbreviations, beginners, mayEnd, seldomEnd } from './abbreviations.ts';
import { classOf, isHalf, isSpace, isWordUnit } from './character-classes.ts';

// linear: at most 40 characters (cut in endsHere)
const opensSentence = /^["'„“»«‚‘([–—-]*\s*["'„“»«‚‘([]*[\p{Lu}\p{N}]/u;
const romanNumber = /^[IVXLCDM]+$/;
/** B.II.6 of an outline, U.S. */
const outline = /^(?:\p{Lu}|[IVXLCDM]{2,})(?:\.(?:\p{Lu}|[IVXLCDM]{2,}|\d+))+$/u;
const firstWord = /^\p{Lu}\p{Ll}*(?=\s)/u;
const reference = /(?:\[\d{1,3}\])+/y;
// linear: at most 30 characters (longestWord)
const lastWord = /[\p{L}\p{N}.]*$/u;
/** A word before a full stop is looked at that far. */
const longestWord = 30;

/** Sentences of a paragraph without line breaks. Czech abbreviations, initials, ordinals and dates do not end one. */
export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  const { length } = paragraph;
  let from = 0;
  for (let at = 0; at < length; at += 1) {
    if (!isStop(paragraph.charCodeAt(at))) continue;
    const stop = at;
    while (at < length && isStop(paragraph.charCodeAt(at))) at += 1;
    while (at < length && closes(paragraph.charCodeAt(at))) at += 1;
    if (paragraph.charCodeAt(at) === 91) at = behindReferences(paragraph, at);
    if (at >= length) break;
    // The character here may be a stop itself: `.)?`.
    if (classOf(paragraph.charCodeAt(at)) !== isSpace) {
      at -= 1;
      continue;
    }
    if (!endsHere(paragraph, from, stop, at)) continue;
    const sentence = paragraph.slice(from, at).trim();
    if (sentence !== '') sentences.push(sentence);
    from = at;
  }
  const rest = paragraph.slice(from).trim();
  if (rest !== '') sentences.push(rest);
  return sentences;
}

/** . ? ! … */
function isStop(code: number): boolean {
  return code === 46 || code === 63 || code === 33 || code === 0x2026;
}

/** ) ] " ' “ ” ’ » › ‘ */
function closes(code: number): boolean {
  if (code < 128) return code === 41 || code === 93 || code === 34 || code === 39;
  return (
    code === 0x201c ||
    code === 0x201d ||
    code === 0x2019 ||
    code === 0xbb ||
    code === 0x203a ||
    code === 0x2018
  );
}

/** Notes belong to the sentence before them: "konec.[12][13] Začátek" */
function behindReferences(text: string, at: number): number {
  reference.lastIndex = at;
  return at + (reference.exec(text)?.[0].length ?? 0);
}

function endsHere(text: string, from: number, stop: number, to: number): boolean {
  let begin = to;
  while (begin < text.length && classOf(text.charCodeAt(begin)) === isSpace) begin += 1;
  // "Kam jdeš?" zeptal se. A sentence begins with a capital or a number.
  const first = text.charCodeAt(begin);
  const isDigit = first >= 48 && first <= 57;
  if (first >= 97 && first <= 122) return false;
  if (!isDigit && !(first >= 65 && first <= 90) && !opensSentence.test(text.slice(begin, to + 40)))
    return false;
  if (text.charCodeAt(stop) !== 46 || text.charCodeAt(stop + 1) === 46) return true;
  const word = wordBefore(text, from, stop);
  // "řekl mi." A quotation ends with a sentence more often than with an abbreviation.
  if (word === '' || isQuote(text.charCodeAt(stop + 1))) return true;
  const lower = word.toLowerCase();
  // Most words end with a small letter: they are no number, initial or outline.
  const last = text.charCodeAt(stop - 1);
  if (last < 97 || last > 122) {
    const decided = endsBehindNumber(text, { word, from, stop, begin, isDigit });
    if (decided !== undefined) return decided;
  }
  // "r. 1610", "10 hod. 15 min."
  if (mayEnd.has(lower) && !(isDigit && abbreviations.has(lower)))
    return word.length > 1 || !/^\p{Lu}\.|^\p{Ll}/u.test(text.slice(begin, begin + 2));
  const inner = lower.slice(lower.lastIndexOf('.') + 1);
  if (seldomEnd.has(lower) || seldomEnd.has(inner)) return !isDigit && beginsSentence(text, begin);
  if (abbreviations.has(lower) || abbreviations.has(inner)) return false;
  return word.length > 1 || beginsSentence(text, begin);
}

/** "1. Úvod", "J. Novák", "Karel IV. Lucemburský", "5. 6. 1998", "1. 3. - 5. 4.", but "do roku 2005. 29. dubna"; undefined for words. */
function endsBehindNumber(
  text: string,
  place: { word: string; from: number; stop: number; begin: number; isDigit: boolean },
): boolean | undefined {
  const { word, from, stop, begin, isDigit } = place;
  if (/^\d+$/.test(word)) {
    if (isFirst(text, from, stop - word.length)) return false;
    return word.length > 2 || !(isDigit || /^[-–—]\s*\d/.test(text.slice(begin, begin + 4)));
  }
  if (/^(?:\d+\.)+\d+$/.test(word)) return !isFirst(text, from, stop - word.length);
  const isInitial = word.length === 1 && word !== word.toLowerCase();
  // "-5 °C. Sněžilo."
  if (isInitial && text.charCodeAt(stop - 2) === 0xb0) return true;
  return isInitial || romanNumber.test(word) || outline.test(word) ? beginsSentence(text, begin) : undefined;
}

function beginsSentence(text: string, begin: number): boolean {
  const [word] = firstWord.exec(text.slice(begin, begin + 20)) ?? [];
  return word !== undefined && beginners.has(word.toLowerCase());
}

/** " “ ” » */
function isQuote(code: number): boolean {
  return code === 34 || code === 0x201c || code === 0x201d || code === 0xbb;
}

/** Letters, numbers and full stops right before a place. */
function wordBefore(text: string, from: number, stop: number): string {
  const least = Math.max(from, stop - longestWord);
  let at = stop;
  while (at > least) {
    const code = text.charCodeAt(at - 1);
    const kind = classOf(code);
    // A mark (a combining accent) is no letter, and half a character nothing that we know.
    if (kind === isHalf || (kind === isWordUnit && code >= 0x300))
      return lastWord.exec(text.slice(least, stop))?.[0] ?? '';
    if (kind !== isWordUnit && code !== 46) break;
    at -= 1;
  }
  return text.slice(at, stop);
}

function isFirst(text: string, from: number, at: number): boolean {
  for (let before = from; before < at; before += 1)
    if (classOf(text.charCodeAt(before)) !== isSpace) return false;
  return true;
}
