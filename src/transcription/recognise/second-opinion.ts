import type { Box, Line, Page, Word } from '../page/page.ts';
import { confidenceOf, keepSurer, linesOf, wordsOf } from './keep-surer.ts';
import { type Doubts, fitted, fittedDoubts } from './thresholds.ts';

/** Lines with fewer letters are not read again. */
const fewLetters = 4;

export interface SecondOpinion {
  /** Reads these places, or the whole page, with another recogniser. */
  read(zones: Box[] | undefined): Promise<Page>;
  /** Boxes of unread ink. */
  unread: readonly Box[];
  doubts?: Doubts;
}

/** Has another recogniser read the doubtful parts of a page. Returns the surer reading of each line, and a sentence for the log. */
export async function secondOpinion(
  page: Page,
  { read, unread, doubts = fittedDoubts }: SecondOpinion,
): Promise<{ page: Page; said: string } | undefined> {
  const zones = doubtful(page, unread, doubts);
  if (zones !== undefined && zones.length === 0) return undefined;
  const again = withSureness(await read(zones), doubts);
  const kept = keepSurer(page, again, { ...fitted, ...doubts });
  const what = zones === undefined ? 'the page is unsure' : `${zones.length} lines are unsure or unread`;
  const result = kept.second ? 'its reading is kept' : `${kept.replaced + kept.added} lines of it are kept`;
  return { page: { ...kept.page, language: page.language }, said: `${what}: ${result}` };
}

/** Boxes where another reading may help; undefined for the whole page. */
function doubtful(page: Page, unread: readonly Box[], doubts: Doubts): Box[] | undefined {
  const words = wordsOf(page);
  if (confidenceOf(words) < doubts.unsurePage) return undefined;
  const isUnsure = (line: Line) =>
    lettersIn(line.words) >= fewLetters && confidenceOf(line.words) < doubts.unsureLine;
  const unsure = linesOf(page).filter(isUnsure);
  const letters = lettersIn(unsure.flatMap((line) => line.words));
  // Finding lines costs the same for one as for all.
  const isWorthIt = unread.length > 0 || letters >= doubts.least * lettersIn(words);
  return isWorthIt ? [...unsure.map(({ box }) => box), ...unread] : [];
}

function lettersIn(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

/** Scales confidences to those of the first recogniser for words of equal accuracy. */
function withSureness(page: Page, { sureness }: Doubts): Page {
  const change = (word: Word): Word =>
    word.confidence === undefined ? word : { ...word, confidence: word.confidence ** sureness };
  return {
    ...page,
    regions: page.regions.map((region) => ({
      ...region,
      paragraphs: region.paragraphs.map((paragraph) => ({
        ...paragraph,
        lines: paragraph.lines.map((line) => ({ ...line, words: line.words.map(change) })),
      })),
    })),
  };
}
