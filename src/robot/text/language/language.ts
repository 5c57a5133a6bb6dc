import { eld } from 'eld/small';
import { czechOrSlovak } from './czech-or-slovak.ts';

export interface Language {
  /** ISO 639-1, empty if there are no words. */
  language: string;
  /** How sure, 0..1. */
  score: number;
}

/** The detector reads about 350 bytes; longer texts are asked at several places, so that a foreign heading does not decide. */
const sampleLength = 360;
const mostSamples = 3;
/** How much a difference of the detector's scores counts: with 12, two that differ by a tenth stand 3 to 1. */
const sharpness = 12;

/**
 * The language of a text. eld's table `small` (50 MB of heap; `large` takes 250 MB) is enough, because what it mixes up, Czech and
 * Slovak without diacritics, is told apart by words and letters here.
 */
export function detectLanguage(text: string): Language {
  const samples = samplesOf(text);
  const logits = new Map<string, number>();
  for (const sample of samples) {
    for (const [language, score] of Object.entries(eld.detect(sample).getScores()))
      logits.set(language, (logits.get(language) ?? 0) + (sharpness * Math.log(score)) / samples.length);
  }
  splitCzechAndSlovak(logits, samples.join(' '));
  let language = '';
  let highest = Number.NEGATIVE_INFINITY;
  for (const [each, logit] of logits) if (logit > highest) [language, highest] = [each, logit];
  if (language === '') return { language, score: 0 };
  let sum = 0;
  for (const logit of logits.values()) sum += Math.exp(logit - highest);
  return { language, score: 1 / sum };
}

/** What the detector gives to either of the two is shared out by the words and letters of the text. */
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

function samplesOf(text: string): string[] {
  if (text.length <= sampleLength * 1.5) return [text];
  const count = Math.min(mostSamples, Math.ceil(text.length / sampleLength));
  const step = (text.length - sampleLength) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => {
    const from = Math.floor(index * step);
    return text.slice(from, from + sampleLength);
  });
}
