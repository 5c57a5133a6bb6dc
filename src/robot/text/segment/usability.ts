/** A page with fewer words of running text is worth proportionally less. */
const enoughWords = 60;

/**
 * How much of a document is running text: sentences of 5 to 60 words with letters in them, in paragraphs of more than one. Lists of
 * links, tables and fragments lower it.
 */
export function usabilityOf(
  paragraphs: readonly string[][],
  lengths: readonly number[][],
  droppedWords: number,
): number {
  let good = 0;
  let inParagraphs = 0;
  let words = droppedWords;
  for (const [index, sentences] of paragraphs.entries()) {
    let goodHere = 0;
    for (const [at, sentence] of sentences.entries()) {
      const count = lengths[index]?.[at] ?? 0;
      words += count;
      if (isRunningText(sentence, count)) goodHere += count;
    }
    good += goodHere;
    if (goodHere > 15 || sentences.length > 1) inParagraphs += goodHere;
  }
  if (words === 0) return 0;
  const share = 0.6 * (good / words) + 0.4 * (inParagraphs / words);
  return Math.min(1, Math.sqrt(share) * Math.min(1, good / enoughWords));
}

function isRunningText(sentence: string, words: number): boolean {
  if (words < 5 || words > 60) return false;
  if (!/[.?!…:]["“”»’)\]]*$/u.test(sentence)) return false;
  const length = sentence.length / words;
  if (length < 3 || length > 13) return false;
  const letters = sentence.match(/\p{L}/gu)?.length ?? 0;
  return letters / sentence.length > 0.65;
}
