import type { Box, Page, Region, Word } from '../page.ts';
import { confidenceOf, keepSurer, wordsOf } from './keep-surer.ts';
import { installedNames, unknownLanguages } from './language.ts';
import { isFraktur } from './mend-fraktur.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { fitted } from './thresholds.ts';

/** A region less sure than this is read by both. */
const unsure = 0.9;
/** If the whole page is less sure than this, so is its layout: then both read all of it. */
const unsurePage = 0.8;
/** Fewer letters are no reason to start another program. */
const fewLetters = 12;
/** The second recogniser must be surer by this much, per letter: its confidence means less. */
const clearly = 0.05;

/**
 * Two recognisers as one. The first reads what it has learned, the second the other languages; and where the first is unsure, both read, and
 * the surer reading of each line is kept.
 */
export function openTogether({
  first,
  second,
  isSlow,
}: {
  first: Recogniser;
  second: Recogniser;
  /** Then it reads only the languages that the first can't. */
  isSlow: boolean;
}): Recogniser {
  const asSecond = async (language: string) => {
    const known = await second.languages();
    const name = installedNames(language, known);
    return unknownLanguages(name, known).length === 0 ? name : undefined;
  };
  const isOfFirst = async (language: string) => {
    const known = (await first.languages()) ?? [];
    return language.split('+').every((name) => isFraktur(name) || known.includes(name));
  };
  const { orientation } = second;

  return {
    name: `${first.name} and ${second.name}`,
    formats: first.formats.filter((format) => second.formats.includes(format)),
    async describe(language) {
      const theirs = await asSecond(language);
      if (!(await isOfFirst(language))) return second.describe(theirs ?? language);
      const own = await first.describe(language);
      return theirs === undefined || isSlow ? own : `${own}; ${await second.describe(theirs)}`;
    },
    async languages() {
      const both = [...((await first.languages()) ?? []), ...((await second.languages()) ?? [])];
      return [...new Set(both)].sort();
    },
    async recognise(image, options) {
      const { language, log } = options;
      const theirs = await asSecond(language);
      if (!(await isOfFirst(language)))
        return second.recognise(image, { ...options, language: theirs ?? language });
      const own = await first.recognise(image, options);
      const zones = theirs === undefined || isSlow ? undefined : unsureZones(own);
      if (theirs === undefined || !zones) return own;
      const again = await second.recognise(image, {
        ...options,
        language: theirs,
        layout: zones === 'page' ? options.layout : withZones(own, zones),
      });
      const kept = keepSurer(own, asSureAsItIsRight(again), { ...fitted, clearly });
      log(
        `${zones === 'page' ? 'the page was' : `${zones.length} regions were`} unsure and read by ${second.name} too: ` +
          `${kept.second ? 'its reading is kept' : `${kept.replaced + kept.added} lines of it are kept`}`,
      );
      return { ...kept.page, language };
    },
    ...(orientation && {
      orientation: (image: Uint8Array, options: Pick<RecogniseOptions, 'signal' | 'log'>) =>
        orientation(image, options),
    }),
    async close() {
      await first.close();
      await second.close();
    },
  };
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

/**
 * Tesseract's confidence of a word as the share of such words that were right: of those with 0.95 about nine in ten, of those with 0.8
 * about half.
 */
function asSureAsItIsRight(page: Page): Page {
  const change = (word: Word): Word =>
    word.confidence === undefined ? word : { ...word, confidence: word.confidence ** 3 };
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
