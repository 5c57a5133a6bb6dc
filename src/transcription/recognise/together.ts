import type { Box, Page, Region } from '../page/page.ts';
import { installedNames, unknownLanguages } from './language.ts';
import { isFraktur } from './mend-fraktur.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { secondOpinion } from './second-opinion.ts';

/**
 * Combines two recognisers: each reads languages that the other can't. If `consulted`, the second also reads what the first is unsure
 * of, the surer reading of each line is kept, and its model for all languages identifies the language.
 */
export function openTogether({
  first,
  second,
  consulted,
}: {
  first: Recogniser;
  second: Recogniser;
  consulted: boolean;
}): Recogniser {
  const orientation = first.orientation ? first : second.orientation ? second : undefined;

  return {
    name: `${first.name} and ${second.name}`,
    formats: first.formats.filter((format) => second.formats.includes(format)),
    async describe(language) {
      const [ours, theirs] = [await nameFor(first, language), await nameFor(second, language)];
      if (ours === undefined) return second.describe(theirs ?? language);
      const own = await first.describe(ours);
      return theirs === undefined || !consulted ? own : `${own}; ${await second.describe(theirs)}`;
    },
    async languages() {
      const both = [...((await first.languages()) ?? []), ...((await second.languages()) ?? [])];
      return [...new Set(both)].sort();
    },
    async recognise(image, options) {
      const { language } = options;
      const ours = await nameFor(first, language);
      if (ours !== undefined) return first.recognise(image, { ...options, language: ours });
      const theirs = await nameFor(second, language);
      return second.recognise(image, { ...options, language: theirs ?? language });
    },
    ...(consulted && {
      polyglot: second,
      async readAgain(image: Uint8Array, page: Page, options: RecogniseOptions & { unread: readonly Box[] }) {
        const { language, unread, log } = options;
        const [ours, theirs] = [await nameFor(first, language), await nameFor(second, language)];
        if (ours === undefined || theirs === undefined) return undefined;
        const found = await secondOpinion(page, {
          unread,
          read: (zones) =>
            second.recognise(image, {
              ...options,
              language: theirs,
              layout: zones && withZones(page, zones),
            }),
        });
        if (found) log(`read by ${second.name} too, because ${found.said}`);
        return found?.page ?? page;
      },
    }),
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

/** A recogniser's names for these languages; undefined if it can't read all of them. */
async function nameFor(recogniser: Recogniser, language: string): Promise<string | undefined> {
  const known = await recogniser.languages();
  const fraktur = known?.find(isFraktur);
  const names = installedNames(language, known)
    .split('+')
    .map((name) => (fraktur && isFraktur(name) && !known?.includes(name) ? fraktur : name));
  return unknownLanguages(names.join('+'), known).length === 0 ? names.join('+') : undefined;
}

function withZones({ width, height, dpi }: Page, zones: readonly Box[]): Page {
  const regions = zones.map((box): Region => ({ kind: 'text', box, paragraphs: [] }));
  return { width, height, ...(dpi === undefined ? {} : { dpi }), regions };
}
