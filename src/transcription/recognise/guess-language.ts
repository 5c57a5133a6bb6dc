import { type Job, PermanentFailure } from '../../engine/processor/processor.ts';
import type { ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { files } from '../page/files.ts';
import { readTransformation } from '../page/job-page.ts';
import type { Page, Word } from '../page/page.ts';
import { parsePrepareConfig } from '../prepare/prepare-config.ts';
import { viewOf } from '../prepare/views.ts';
import { foldedText } from '../text/fold.ts';
import { commonWords } from './common-words.ts';
import { checkLanguage, guessed, installedNames } from './language.ts';
import { isFraktur } from './mend-fraktur.ts';
import { readableImage } from './readable-image.ts';
import type { Recogniser } from './recogniser.ts';

interface Reading {
  job: Job;
  recogniser: Recogniser;
  known: readonly string[] | undefined;
  limits: ImageLimits;
}

/** The languages to read a page with: the requested ones by the names of their models, or a guess from a quick first reading. */
export async function languageFor(asked: string, reading: Reading): Promise<string> {
  const { known, job, recogniser } = reading;
  if (asked !== guessed) {
    const language = installedNames(asked, known);
    checkLanguage(language, known);
    return language;
  }
  // A custom program must find out itself.
  if (known === undefined) return asked;
  if (known.length === 0) throw new PermanentFailure('no language is installed for the recogniser here');
  const names = job.files.names();
  const image = names.includes(files.image)
    ? await job.files.read(files.image)
    : await readableImage(await job.files.read(files.source), recogniser.formats, reading.limits, {
        isChecked: names.includes(files.layout),
      });
  const guess = async (picture: Uint8Array) =>
    guessLanguage(await sampleOf(picture), recogniser, known, job.signal);
  let best = await guess(image);
  if (best.score < badScore) {
    // Hardly any word was read, perhaps because text shows through from the other side.
    const source = await job.files.read(files.source);
    const made = await readTransformation(job);
    const view = await viewOf('ghosts', source, made, parsePrepareConfig(''), reading.limits);
    const again = view && (await guess(view.png));
    if (again && again.score > best.score) best = again;
  }
  job.log(`language ${best.language}, guessed: ${best.why}`);
  return best.language;
}

/** Guesses the language of a sample, with the score of each language tried. */
export async function guessLanguage(
  sample: Uint8Array,
  recogniser: Recogniser,
  known: readonly string[],
  signal: AbortSignal,
): Promise<{ language: string; why: string; score: number }> {
  const tried = new Map<string, Tried & { words: Word[] }>();
  const tryOut = async (language: string) => {
    if (tried.has(language)) return;
    const page = await recogniser.recognise(sample, { language, signal, log: () => {} });
    const words = wordsOf(page);
    const share = shareOf(words, language);
    // A model may be sure of letters that form no words of its language.
    const doubt = share > leastShare ? 0 : 0.15;
    tried.set(language, { words, share, score: confidenceOf(words) + 0.3 * share - doubt });
  };
  const { polyglot } = recogniser;
  const first = firstTries.find((language) => known.includes(language)) ?? known[0] ?? guessed;
  if (!polyglot) await tryOut(first);
  const read =
    tried.get(first)?.words ??
    wordsOf(
      (await polyglot?.recognise(sample, { language: first, signal, log: () => {} })) ?? { regions: [] },
    );
  const likely = known
    .map((language) => ({ language, share: shareOf(read, language) }))
    .filter(({ share }) => share > leastShare)
    .toSorted((one, other) => other.share - one.share)
    .slice(0, 2);
  for (const { language } of likely) await tryOut(language);
  // Another script, or a language without a word list.
  const others = known.filter((language) => !tried.has(language) && !notLanguages.has(language));
  for (const language of others.toSorted((one, other) => rank(one) - rank(other)).slice(0, mostTries)) {
    const { score, share } = best(tried);
    if (score >= sureScore && share > leastShare) break;
    // All other models read it worse still.
    if (polyglot && likely.length > 0 && score < confidenceOf(read) - clearlySurer) break;
    await tryOut(language);
  }
  const [likeliest] = likely;
  if (polyglot && likeliest && best(tried).score < confidenceOf(read) - clearlySurer) {
    const score = confidenceOf(read) + 0.3 * likeliest.share;
    const why = `${likeliest.language} ${score.toFixed(2)}, read by ${polyglot.name}`;
    return { language: likeliest.language, why, score };
  }
  const why = [...tried].map(([language, { score }]) => `${language} ${score.toFixed(2)}`).join(', ');
  const { language, score } = best(tried);
  return { language, why, score };
}

/** Their models read most other languages well enough to identify them. */
const firstTries = ['eng', 'deu', 'fra', 'ces'];
const notLanguages = new Set(['osd', 'equ', 'snum']);
/** Scores: 0.8 and more if the model fits the text, with its usual share of common words; 0.7 and less if not. */
const sureScore = 0.8;
const badScore = 0.5;
const mostTries = 5;
const clearlyFraktur = 0.05;
/** If models of single languages read a page worse than the polyglot one by this much, it is a bad scan in a known language. */
const clearlySurer = 0.2;
/** Minimum share of common words; texts in other languages have fewer. */
const leastShare = 0.1;

interface Tried {
  score: number;
  /** Share of common words. */
  share: number;
}

/** Fraktur first, because it resembles no other script. */
function rank(language: string): number {
  return /frak|latf/i.test(language) ? 0 : language.startsWith('script/') ? 2 : 1;
}

function best(tried: ReadonlyMap<string, Tried>): Tried & { language: string } {
  const sorted = [...tried].toSorted(([, one], [, other]) => other.score - one.score);
  const [[language, found] = [guessed, { score: 0, share: 0 }], second] = sorted;
  // Fraktur models read signs of other scripts as letters, so require a clear margin.
  const isUnclear = isFraktur(language) && found.score < sureScore;
  if (second && isUnclear && found.score - second[1].score < clearlyFraktur)
    return { language: second[0], ...second[1] };
  return { language, ...found };
}

function wordsOf({ regions }: Pick<Page, 'regions'>): Word[] {
  return regions
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ lines }) => lines)
    .flatMap(({ words }) => words)
    .filter(({ text }) => /\p{L}{2}/u.test(text));
}

/** Weighted by letters, because long words say more. */
function confidenceOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence = 0 }) => sum + text.length * confidence, 0);
  return letters === 0 ? 0 : sure / letters;
}

/** Share of words that are common in the language. Ignores accents, which another model may miss. */
function shareOf(words: readonly Word[], language: string): number {
  const common = commonWords(language);
  if (words.length === 0 || common.size === 0) return 0;
  const isCommon = ({ text }: Word) => common.has(foldedText(text.replaceAll(/[^\p{L}]/gu, '')));
  return words.filter(isCommon).length / words.length;
}

/** Cuts out the part of the page with the most letters, about a tenth: a few lines are enough. */
export async function sampleOf(image: Uint8Array): Promise<Uint8Array> {
  const sharp = await loadSharp();
  const { width, height } = await sharp(image).metadata();
  const { data, info } = await sharp(image)
    .toColourspace('b-w')
    .resize({ width: Math.min(600, width) })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const edges = Array.from({ length: info.height }, (_, row) => {
    let count = 0;
    for (let x = 1; x < info.width; x++) {
      const at = (row * info.width + x) * info.channels;
      if (Math.abs((data[at] ?? 0) - (data[at - info.channels] ?? 0)) > 40) count++;
    }
    return count;
  });
  const rows = Math.min(info.height, Math.max(Math.round(info.height * 0.12), 60));
  let start = 0;
  let sum = edges.slice(0, rows).reduce((total, count) => total + count, 0);
  let most = sum;
  for (let row = 1; row + rows <= info.height; row++) {
    sum += (edges[row + rows - 1] ?? 0) - (edges[row - 1] ?? 0);
    if (sum > most) [most, start] = [sum, row];
  }
  const scale = height / info.height;
  const top = Math.min(height - 1, Math.round(start * scale));
  const part = { left: 0, top, width, height: Math.max(1, Math.min(height - top, Math.round(rows * scale))) };
  return sharp(image).extract(part).png({ compressionLevel: 1 }).toBuffer();
}
