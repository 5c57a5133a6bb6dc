export interface Sentence {
  text: string;
  words: number;
  letters: number;
}

/** A page with fewer words of running text is worth proportionally less. */
const enoughWords = 60;

/** With fewer words of running text, a page is a list of links, a table or a form. */
const hardlyAnyWords = 20;

/**
 * How much of a document is running text: sentences of 5 to 60 words with letters in them, in paragraphs of more than one. Lists of
 * links, tables and fragments lower it.
 */
export function usabilityOf(
  paragraphs: readonly (readonly Sentence[])[],
  droppedWords: number,
): { usability: number; isList: boolean } {
  let good = 0;
  let inParagraphs = 0;
  let words = droppedWords;
  for (const sentences of paragraphs) {
    let goodHere = 0;
    for (const sentence of sentences) {
      words += sentence.words;
      if (isRunningText(sentence)) goodHere += sentence.words;
    }
    good += goodHere;
    if (goodHere > 15 || sentences.length > 1) inParagraphs += goodHere;
  }
  const isList = good < hardlyAnyWords;
  if (words === 0) return { usability: 0, isList };
  const share = 0.6 * (good / words) + 0.4 * (inParagraphs / words);
  return { usability: Math.min(1, Math.sqrt(share) * Math.min(1, good / enoughWords)), isList };
}

/** . ? ! … : and what may close a quotation behind it. */
function endsSentence(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last === 46 || last === 63 || last === 33 || /[.?!…:]["“”»’)\]]*$/.test(text.slice(-4));
}

function isRunningText({ text, words, letters }: Sentence): boolean {
  if (words < 5 || words > 60) return false;
  if (!endsSentence(text)) return false;
  const length = text.length / words;
  return length >= 3 && length <= 13 && letters / text.length > 0.65;
}
