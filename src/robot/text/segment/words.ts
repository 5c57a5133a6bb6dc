const token = /[\p{L}\p{M}\p{N}]+(?:[-'’.,:/@_][\p{L}\p{M}\p{N}]+)*|[^\s]/gu;
const wordBeginning = /^[\p{L}\p{N}]/u;

/** Words and marks of a sentence, one by one: `www.pismak.cz`, `1,5` and `česko-slovenský` stay together. */
export function tokensOf(sentence: string): string[] {
  return sentence.match(token) ?? [];
}

export function isWord(token: string): boolean {
  return wordBeginning.test(token);
}

const separator = /[^\p{L}\p{M}\p{N}'’-]+/u;

/** Words alone, faster. */
export function wordsOf(text: string): string[] {
  return text.split(separator).filter((word) => word !== '' && word !== '-');
}
