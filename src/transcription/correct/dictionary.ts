/** Words that exist: one per line, optionally followed by a tab and its frequency. */
export interface Dictionary {
  /** The only, or by far the most frequent, word that differs in one letter; undefined if the word exists or there is none. */
  correction(word: string): string | undefined;
}

/** Shorter words have too many neighbours. */
const shortest = 4;
/** How many times more frequent than the next candidate a word must be. */
const clearly = 10;

export function createDictionary(text: string): Dictionary {
  const counts = new Map<string, number>();
  const letters = new Set<string>();
  for (const line of text.split('\n')) {
    const [word = '', count] = line.normalize('NFC').trim().toLowerCase().split('\t');
    if (word === '') continue;
    counts.set(word, Number(count) || 1);
    for (const letter of word) letters.add(letter);
  }
  const alphabet = [...letters].filter((letter) => /\p{L}/u.test(letter));
  return {
    correction(word) {
      const lower = word.normalize('NFC').toLowerCase();
      if (lower.length < shortest || !/^\p{L}+$/u.test(lower) || counts.has(lower)) return undefined;
      const candidates = new Map<string, number>();
      for (const neighbour of neighbours(lower, alphabet)) {
        const count = counts.get(neighbour);
        if (count !== undefined) candidates.set(neighbour, count);
      }
      const [best, next] = [...candidates].sort(([, a], [, b]) => b - a);
      if (best === undefined || (next !== undefined && best[1] < next[1] * clearly)) return undefined;
      return inCaseOf(word, best[0]);
    },
  };
}

/** All strings made by removing, swapping, replacing or adding one letter. */
function* neighbours(word: string, alphabet: readonly string[]): Generator<string> {
  const letters = Array.from(word);
  for (let at = 0; at <= letters.length; at += 1) {
    const before = letters.slice(0, at).join('');
    const [first = '', second = ''] = letters.slice(at, at + 2);
    const after = letters.slice(at + 1).join('');
    for (const letter of alphabet) yield before + letter + first + after;
    if (first === '') return;
    yield before + after;
    for (const letter of alphabet) yield before + letter + after;
    if (second !== '') yield before + second + first + letters.slice(at + 2).join('');
  }
}

function inCaseOf(model: string, word: string): string {
  if (model === model.toUpperCase()) return word.toUpperCase();
  const [first = '', ...rest] = Array.from(word);
  return /^\p{Lu}/u.test(model) ? first.toUpperCase() + rest.join('') : word;
}
