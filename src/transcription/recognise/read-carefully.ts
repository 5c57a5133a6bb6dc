import type { ImageLimits } from '../image/image-limits.ts';
import { inReadingOrder } from '../layout/reading-order.ts';
import { rejoinLines } from '../layout/rejoin-lines.ts';
import type { Page } from '../page.ts';
import { parsePrepareConfig } from '../prepare/prepare-config.ts';
import { changesShades, describeSteps, type Transformation } from '../prepare/transformation.ts';
import { type ViewName, viewOf } from '../prepare/views.ts';
import { confidenceOf, keepSurer, sureLetters, wordsOf } from './keep-surer.ts';
import { mendFraktur } from './mend-fraktur.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { type Turned, turnUpright } from './turn-upright.ts';

/** From this mean confidence on, a second reading rarely finds anything better. */
const sureEnough = 0.87;
/** The same for a page whose shades were changed. */
const sureOfPrepared = 0.9;
/** Below this one, even two readings are hardly better than none; and the page may lie the wrong way round. */
const hopeless = 0.6;
/** Tesseract's measure of orientation. On real scans it was right from 1 on, and above 9 on almost all. */
const sureOfTurn = 2;

export interface PageToRead {
  recogniser: Recogniser;
  /** Prepared, or the source itself. */
  image: Uint8Array;
  source: Uint8Array;
  transformation: Transformation | undefined;
  limits: ImageLimits;
  options: RecogniseOptions;
}

export interface CarefulReading {
  page: Page;
  /** If the page lay the wrong way round: the image that was read. */
  turned?: Turned;
}

/**
 * Reads a page, and looks again if the reading is unsure: turned, without its preparation, and prepared more thoroughly. The surer
 * reading of every line is kept.
 */
export async function readCarefully(given: PageToRead): Promise<CarefulReading> {
  const { recogniser, options } = given;
  const first = await read(recogniser, given.image, options);
  const turned = await readTurned(given, first);
  const now = turned ? { ...given, ...turned } : given;
  const page = await readViews(now, turned?.page ?? first);
  return { page: finish(page, options), ...(turned && { turned }) };
}

/** One reading, put in order. */
export async function readOnce({ recogniser, image, options }: PageToRead): Promise<Page> {
  return finish(await read(recogniser, image, options), options);
}

function finish(page: Page, { language }: RecogniseOptions): Page {
  return mendFraktur(inReadingOrder(page), language);
}

async function read(recogniser: Recogniser, image: Uint8Array, options: RecogniseOptions): Promise<Page> {
  return rejoinLines(await recogniser.recognise(image, options));
}

/** The page turned and read again, if it lies the wrong way round. */
async function readTurned(
  { recogniser, image, transformation, options }: PageToRead,
  first: Page,
): Promise<(Turned & { page: Page }) | undefined> {
  if (!recogniser.orientation || confidenceOf(wordsOf(first)) >= hopeless) return undefined;
  const found = await recogniser.orientation(image, options);
  if (!found || found.turn === 0 || found.confidence < sureOfTurn) return undefined;
  const turned = await turnUpright(image, transformation, found.turn);
  const page = await read(recogniser, turned.image, options);
  const isBetter = sureLetters(wordsOf(page)) > sureLetters(wordsOf(first));
  const [before, after] = [first, page].map((one) => confidenceOf(wordsOf(one)).toFixed(2));
  options.log(
    `confidence ${before}, so read again turned by ${found.turn} degrees: ${after}; ${isBetter ? 'the page stays turned' : 'it is turned back'}`,
  );
  return isBetter ? { ...turned, page } : undefined;
}

/** The page read again with other shades, as long as that may help. */
async function readViews(given: PageToRead, first: Page): Promise<Page> {
  const { recogniser, options, source, transformation, limits } = given;
  const isPrepared = changesShades(transformation?.steps);
  const views: ViewName[] = isPrepared ? ['plain', 'thorough', 'ghosts'] : ['thorough', 'ghosts'];
  let page = first;
  let readings = 1;
  for (const name of views) {
    const sure = confidenceOf(wordsOf(page));
    if (sure >= (readings > 1 ? hopeless : isPrepared ? sureOfPrepared : sureEnough)) break;
    const view = await viewOf(name, source, transformation, parsePrepareConfig(''), limits);
    if (!view) continue;
    const again = await read(recogniser, view.png, options);
    readings++;
    // The page as it came has the benefit of the doubt.
    const kept = name === 'plain' ? keepSurer(again, page) : keepSurer(page, again);
    page = kept.page;
    const what = view.steps.length === 0 ? 'as it came' : describeSteps(view.steps);
    const which = kept.second === (name !== 'plain') ? 'second' : 'first';
    options.log(
      `confidence ${sure.toFixed(2)}, so read again ${what}: ${confidenceOf(wordsOf(again)).toFixed(2)}; ` +
        `the ${which} reading is kept, with ${kept.replaced + kept.added} lines of the other`,
    );
  }
  return page;
}
