import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { czechOrSlovak, isPlainlyCzech } from './czech-or-slovak.ts';

export interface Language {
  /** ISO 639-1, empty if there are no words. */
  language: string;
  /** Confidence, 0..1. */
  score: number;
}

/** The detector reads about 350 bytes; longer texts are sampled at several places, so that a foreign heading does not decide. */
const sampleLength = 360;
/** Above this confidence, no further place is sampled. */
const sure = 0.95;
/** What the detector usually says of such a text. */
const plainlyCzech = 0.99;
/** How much a difference of the detector's scores counts: with 12, two that differ by a tenth stand 3 to 1. */
const sharpness = 12;

/**
 * The language of a text. eld's table `small` (50 MB of heap; `large` takes 250 MB) is enough, because what it mixes up, Czech and
 * Slovak without diacritics, is told apart by words and letters here.
 */
export function detectLanguage(text: string): Language {
  // Most pages of a Czech crawl: their letters tell, at a twentieth of the detector's time.
  if (isPlainlyCzech(middleOf(text))) return { language: 'cs', score: plainlyCzech };
  const { eld } = detector();
  let sums = new Map<string, number>();
  let read = '';
  let best: Language = { language: '', score: 0 };
  for (const [index, sample] of samplesOf(text).entries()) {
    const scores = Object.entries(eld.detect(sample).getScores());
    sums = new Map(
      scores.map(([language, score]) => [language, (sums.get(language) ?? 0) + Math.log(score)]),
    );
    read += ` ${sample}`;
    const logits = new Map([...sums].map(([language, sum]) => [language, (sharpness * sum) / (index + 1)]));
    splitCzechAndSlovak(logits, read);
    best = mostLikely(logits);
    if (best.score > sure) break;
  }
  return best;
}

let loaded: typeof import('eld/small') | undefined;

/** Loaded for the first text that needs it: the table takes half a second to load, and most of a harvester's heap. */
function detector(): typeof import('eld/small') {
  loaded ??= createRequire(import.meta.url)(
    fileURLToPath(import.meta.resolve('eld/small')),
  ) as typeof import('eld/small');
  return loaded;
}

function mostLikely(logits: ReadonlyMap<string, number>): Language {
  let language = '';
  let highest = Number.NEGATIVE_INFINITY;
  for (const [each, logit] of logits) if (logit > highest) [language, highest] = [each, logit];
  if (language === '') return { language, score: 0 };
  let sum = 0;
  for (const logit of logits.values()) sum += Math.exp(logit - highest);
  return { language, score: 1 / sum };
}

/** Divides the detector's score for Czech and Slovak between the two by the words and letters of the text. */
function splitCzechAndSlovak(logits: Map<string, number>, text: string): void {
  const cs = logits.get('cs');
  const sk = logits.get('sk');
  if (cs === undefined && sk === undefined) return;
  const least = Math.max(cs ?? -Infinity, sk ?? -Infinity) - 3;
  const { forCzech, forEither } = czechOrSlovak(text);
  const either = Math.max(cs ?? least, sk ?? least) + Math.LN2 + forEither;
  const difference = (cs ?? least) - (sk ?? least) + forCzech;
  logits.set('cs', either - Math.log1p(Math.exp(-difference)));
  logits.set('sk', either - Math.log1p(Math.exp(difference)));
}

/** Enough to count letters that are not in every sentence. */
function middleOf(text: string): string {
  const length = 4 * sampleLength;
  const from = Math.max(0, (text.length - length) >> 1);
  return text.slice(from, from + length);
}

/** Samples the middle first: beginning and end often don't belong to the text itself. */
function samplesOf(text: string): string[] {
  if (text.length <= sampleLength * 1.5) return [text];
  const last = text.length - sampleLength;
  return [last >> 1, last >> 2, last - (last >> 3)].map((from) => text.slice(from, from + sampleLength));
}
