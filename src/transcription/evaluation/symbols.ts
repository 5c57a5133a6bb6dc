/** Differences to ignore when comparing two texts. Both are always converted to NFC. */
export interface Normalisation {
  ignoreCase?: boolean;
  ignoreDiacritics?: boolean;
  ignorePunctuation?: boolean;
  /** Long s, ligatures and round r count as the letters they stand for. */
  modernLetters?: boolean;
  /** All quotation marks count as the same one, all dashes and hyphens as the same one. */
  sameMarks?: boolean;
  /** Line breaks and the number of spaces count. Without it, any white space is one space. */
  strictWhitespace?: boolean;
}

/** A text as a list of graphemes: the form to compare, and the form to show. */
export interface Symbols {
  keys: string[];
  shown: string[];
}

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });
/** Latin letters and punctuation without combining marks. Each is one grapheme, so splitting is a hundred times faster. */
const plain = /^[\t\n -~\u{a0}-\u{2ff}\u{2010}-\u{2027}]*$/u;

function graphemes(text: string): string[] {
  return plain.test(text) ? Array.from(text) : Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function toSymbols(text: string, normalisation: Normalisation = {}): Symbols {
  const symbols: Symbols = { keys: [], shown: [] };
  const normal = text
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .replaceAll(/\r\n?/g, '\n')
    .normalize('NFC');
  const trimmed = normalisation.strictWhitespace ? normal.replace(/(?<!\n)\n+$/, '') : normal.trim();
  for (const segment of graphemes(trimmed)) add(symbols, segment, normalisation);
  return normalisation.strictWhitespace ? symbols : withoutTrailingSpace(symbols);
}

/** Words, separated by white space. */
export function toWords(symbols: Symbols): string[] {
  return symbols.keys
    .join('')
    .split(/\s+/u)
    .filter((word) => word !== '');
}

function add(symbols: Symbols, segment: string, normalisation: Normalisation): void {
  if (/^\s/u.test(segment)) {
    if (normalisation.strictWhitespace) push(symbols, segment, segment);
    else if (symbols.keys.length > 0 && symbols.keys.at(-1) !== ' ') push(symbols, ' ', segment);
    return;
  }
  const key = keyOf(segment, normalisation);
  // A ligature becomes several letters but is shown once.
  for (const [index, part] of graphemes(key).entries()) push(symbols, part, index === 0 ? segment : '');
}

function keyOf(segment: string, normalisation: Normalisation): string {
  let key = segment;
  if (normalisation.modernLetters) {
    key = key.replaceAll(/[\ufb00-\ufb06ſ]/gu, (letter) => letter.normalize('NFKC')).replaceAll('ꝛ', 'r');
  }
  if (normalisation.sameMarks) {
    key = key
      .replaceAll(/[„“”‟«»″]/gu, '"')
      .replaceAll(/[‘’‚‛‹›′`´]/gu, "'")
      .replaceAll(/[\p{Pd}⸗¬\u00ad]/gu, '-');
  }
  if (normalisation.ignoreDiacritics) key = key.normalize('NFD').replaceAll(/\p{M}/gu, '');
  if (normalisation.ignorePunctuation) key = key.replaceAll(/\p{P}/gu, '');
  return normalisation.ignoreCase ? key.toLowerCase() : key;
}

function push(symbols: Symbols, key: string, shown: string): void {
  symbols.keys.push(key);
  symbols.shown.push(shown);
}

/** Ignored punctuation at the end leaves a space behind. */
function withoutTrailingSpace({ keys, shown }: Symbols): Symbols {
  const end = keys.at(-1) === ' ' ? -1 : undefined;
  return { keys: keys.slice(0, end), shown: shown.slice(0, end) };
}
