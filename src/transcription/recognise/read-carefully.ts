import type { ImageLimits } from '../image/image-limits.ts';
import { rememberGrey } from '../image/remember-grey.ts';
import { divideColumns } from '../layout/divide-columns.ts';
import { inColumnOrder } from '../layout/reading-order.ts';
import { rejoinLines } from '../layout/rejoin-lines.ts';
import type { Page } from '../page/page.ts';
import { changesShades, type Transformation } from '../page/transformation.ts';
import { parsePrepareConfig } from '../prepare/prepare-config.ts';
import { type ViewName, viewOf } from '../prepare/views.ts';
import { confidenceOf, sureLetters, wordsOf } from './keep-surer.ts';
import { type Look, lookAgain } from './look-again.ts';
import { mendFraktur } from './mend-fraktur.ts';
import { readDoubtful, readRest } from './read-rest.ts';
import { foldOf, inSpreadOrder, readHalves } from './read-spread.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { fitted } from './thresholds.ts';
import { type Turned, turnUpright } from './turn-upright.ts';

/** Minimum confidence of an orientation. On real scans Tesseract was right from 1 on, and gave more than 9 for almost all. */
const sureOfTurn = 2;

export interface PageToRead {
  recogniser: Recogniser;
  /** Prepared, or the source itself. */
  image: Uint8Array;
  source: Uint8Array;
  transformation: Transformation | undefined;
  limits: ImageLimits;
  options: RecogniseOptions;
  /** Whether to read the two pages of a spread one after the other. */
  spreads: boolean;
  /** Where they meet in the image, if known. */
  fold?: number | undefined;
}

export interface CarefulReading {
  page: Page;
  /** If the page lay the wrong way round: the image that was read. */
  turned?: Turned;
  fold?: number | undefined;
}

/**
 * Reads a page, and reads it again if unsure: turned, with another recogniser, unprepared, and prepared more thoroughly. Keeps the
 * surer reading of every line.
 */
export async function readCarefully(given: PageToRead): Promise<CarefulReading> {
  const { page: first, turned, fold } = await readUpright(given);
  const now = { ...given, ...turned, fold };
  const decode = rememberGrey(given.limits);
  const again = await readDoubtful({ ...now, decode }, first);
  const { page, image = now.image } = await lookAgain(again.page, {
    isPrepared: changesShades(now.transformation?.steps),
    language: given.options.language,
    look: (name) => readView(now, name),
    log: given.options.log,
  });
  const unread = { mayRead: !again.unread?.wasRead, known: again.unread };
  const whole = await readRest({ ...now, decode, image }, page, { ...unread, tables: true });
  return { page: finish(whole, now), ...(turned && { turned }) };
}

/** One reading, turned upright if needed; not in reading order yet. */
export async function readUpright(given: PageToRead): Promise<CarefulReading> {
  const now = await withFold(given);
  const first = await read(now, now.image);
  return (await readTurned(now, first)) ?? { page: first, fold: now.fold };
}

/** One reading, put in order. */
export async function readOnce(given: PageToRead): Promise<Page> {
  const now = await withFold(given);
  const decode = rememberGrey(given.limits);
  const page = await read(now, now.image);
  return finish(await readRest({ ...now, decode }, page, { mayRead: false, tables: true }), now);
}

/** Reads only given regions, in their order. */
export async function readChosen(given: PageToRead): Promise<Page> {
  const { recogniser, image, options, limits } = given;
  const page = await recogniser.recognise(image, options);
  return readRest({ ...given, decode: rememberGrey(limits) }, page, { mayRead: false, tables: false });
}

/** Puts the page in reading order and corrects letters that models mistake. Changes the given page. */
export function finish(
  page: Page,
  { fold, options }: { fold?: number | undefined; options: Pick<RecogniseOptions, 'language'> },
): Page {
  // Regions found later may lie within a block.
  const whole = rejoinLines(page);
  const ordered = fold === undefined ? inColumnOrder(whole) : inSpreadOrder(whole, fold);
  return mendFraktur(ordered, options.language);
}

async function withFold(given: PageToRead): Promise<PageToRead> {
  const fold = given.spreads ? await foldOf(given.image, given.limits) : undefined;
  if (fold !== undefined) given.options.log('the image shows two pages, which are read one after the other');
  return { ...given, fold };
}

async function read({ recogniser, options, fold }: PageToRead, image: Uint8Array): Promise<Page> {
  const page =
    fold === undefined
      ? await recogniser.recognise(image, options)
      : await readHalves(recogniser, image, fold, options);
  return divideColumns(rejoinLines(page));
}

/** Turns the page and reads it again, if it is not upright. */
async function readTurned(given: PageToRead, first: Page): Promise<CarefulReading | undefined> {
  const { recogniser, image, transformation, options } = given;
  const isRead = confidenceOf(wordsOf(first)) >= fitted.hopeless && !recogniser.hasFailed?.(image);
  if (!recogniser.orientation || isRead) return undefined;
  const found = await recogniser.orientation(image, options);
  if (!found || found.turn === 0 || found.confidence < sureOfTurn) return undefined;
  const turned = await turnUpright(image, transformation, found.turn);
  const now = await withFold({ ...given, ...turned });
  const page = await read(now, turned.image);
  const isBetter = sureLetters(wordsOf(page)) > sureLetters(wordsOf(first));
  const [before, after] = [first, page].map((one) => confidenceOf(wordsOf(one)).toFixed(2));
  options.log(
    `confidence ${before}, so read again turned by ${found.turn} degrees: ${after}; ${isBetter ? 'the page stays turned' : 'it is turned back'}`,
  );
  return isBetter ? { page, turned, fold: now.fold } : undefined;
}

/** Reads the page with other shades, in the same pixels. */
export async function readView(given: PageToRead, name: ViewName): Promise<Look | undefined> {
  const { source, transformation, limits } = given;
  const view = await viewOf(name, source, transformation, parsePrepareConfig(''), limits);
  return view && { steps: view.steps, page: await read(given, view.png), png: view.png };
}
