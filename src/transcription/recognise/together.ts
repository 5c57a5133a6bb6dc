import type { Box, Page, Region, Word } from '../page.ts';
import { confidenceOf, keepSurer, wordsOf } from './keep-surer.ts';
import { installedNames, unknownLanguages } from './language.ts';
import { isFraktur } from './mend-fraktur.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { fitted } from './thresholds.ts';

/** A region less sure than this is read by both. */
const unsure = 0.94;
/** If the whole page is less sure than this, so is its layout: then both read all of it. */
const unsurePage = 0.92;
/** Fewer letters are no reason to read again. */
const fewLetters = 12;
/**
 * The layout stays that of the first, unless the second is surer by half; a line must be clearly surer to be replaced, and very sure to
 * be added.
 */
const thresholds = { ...fitted, clearly: 0.05, much: 0.5, believed: 0.92 };

/**
 * Two recognisers as one. Each reads the languages that the other can't; where the first is unsure, both read, and the surer reading of each
 * line is kept.
 */
export function openTogether({
  first,
  second,
  sureness,
}: {
  first: Recogniser;
  second: Recogniser;
  /** How sure the first would be where the second is as sure as this; without it, the second reads only other languages. */
  sureness?: (confidence: number) => number;
}): Recogniser {
  const orientation = first.orientation ? first : second.orientation ? second : undefined;

  return {
    name: `${first.name} and ${second.name}`,
    formats: first.formats.filter((format) => second.formats.includes(format)),
    async describe(language) {
      const [ours, theirs] = [await nameFor(first, language), await nameFor(second, language)];
      if (ours === undefined) return second.describe(theirs ?? language);
      const own = await first.describe(ours);
      return theirs === undefined || !sureness ? own : `${own}; ${await second.describe(theirs)}`;
    },
    async languages() {
      const both = [...((await first.languages()) ?? []), ...((await second.languages()) ?? [])];
      return [...new Set(both)].sort();
    },
    async recognise(image, options) {
      const { language, log } = options;
      const [ours, theirs] = [await nameFor(first, language), await nameFor(second, language)];
      if (ours === undefined) return second.recognise(image, { ...options, language: theirs ?? language });
      const own = await first.recognise(image, { ...options, language: ours });
      const zones = theirs === undefined || !sureness ? undefined : unsureZones(own);
      if (theirs === undefined || !sureness || !zones) return own;
      const again = await second.recognise(image, {
        ...options,
        language: theirs,
        layout: zones === 'page' ? options.layout : withZones(own, zones),
      });
      const kept = keepSurer(own, withConfidences(again, sureness), thresholds);
      log(
        `${zones === 'page' ? 'the page was' : `${zones.length} regions were`} unsure and read by ${second.name} too: ` +
          `${kept.second ? 'its reading is kept' : `${kept.replaced + kept.added} lines of it are kept`}`,
      );
      return { ...kept.page, language };
    },
    ...(orientation && {
      orientation: async (image: Uint8Array, options: Pick<RecogniseOptions, 'signal' | 'log'>) =>
        orientation.orientation?.(image, options),
    }),
    async close() {
      await first.close();
      await second.close();
    },
  };
}

/** What a recogniser calls these languages; undefined if it can't read all of them. */
async function nameFor(recogniser: Recogniser, language: string): Promise<string | undefined> {
  const known = await recogniser.languages();
  const fraktur = known?.find(isFraktur);
  const names = installedNames(language, known)
    .split('+')
    .map((name) => (fraktur && isFraktur(name) && !known?.includes(name) ? fraktur : name));
  return unknownLanguages(names.join('+'), known).length === 0 ? names.join('+') : undefined;
}

/** Where a second reading may help; undefined if nowhere. */
function unsureZones(page: Page): Box[] | 'page' | undefined {
  if (confidenceOf(wordsOf(page)) < unsurePage) return 'page';
  const zones = page.regions.filter((region) => {
    const words = wordsIn(region);
    return lettersIn(words) >= fewLetters && confidenceOf(words) < unsure;
  });
  return zones.length > 0 ? zones.map(({ box }) => box) : undefined;
}

function withZones({ width, height, dpi }: Page, zones: readonly Box[]): Page {
  const regions = zones.map((box): Region => ({ kind: 'text', box, paragraphs: [] }));
  return { width, height, ...(dpi === undefined ? {} : { dpi }), regions };
}

function wordsIn({ paragraphs }: Region): Word[] {
  return paragraphs.flatMap(({ lines }) => lines.flatMap(({ words }) => words));
}

function lettersIn(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function withConfidences(page: Page, sureness: (confidence: number) => number): Page {
  const change = (word: Word): Word =>
    word.confidence === undefined ? word : { ...word, confidence: sureness(word.confidence) };
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
