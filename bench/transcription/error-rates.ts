import { compareTexts, errorRate, type Rate, total } from '../../src/transcription/evaluation/compare.ts';
import type { Page } from '../../src/transcription/page/page.ts';
import { toText } from '../../src/transcription/text/text.ts';
import type { SamplePage } from './sample-pages.ts';

export interface ErrorRates {
  all: number;
  kinds: Map<string, number>;
}

/** CER over all pages, and for each kind. The same function writes the text, whichever program has read the page. */
export function errorRates(pages: readonly SamplePage[], read: readonly Page[]): ErrorRates {
  const rates = new Map<string, Rate[]>();
  for (const [index, { kind, truth }] of pages.entries()) {
    const found = read[index];
    if (!found) throw new Error('a page is missing');
    const { characters } = compareTexts(truth, toText(found));
    rates.set(kind, [...(rates.get(kind) ?? []), characters]);
  }
  const kinds = new Map([...rates].map(([kind, each]) => [kind, errorRate(total(each))]));
  return { all: errorRate(total([...rates.values()].flat())), kinds };
}
