import type { ImageLimits } from '../image/image-limits.ts';
import { inReadingOrder } from '../layout/reading-order.ts';
import { rejoinLines } from '../layout/rejoin-lines.ts';
import type { Page } from '../page.ts';
import { parsePrepareConfig } from '../prepare/prepare-config.ts';
import { changesShades, describeSteps, type Transformation } from '../prepare/transformation.ts';
import { type ViewName, viewOf } from '../prepare/views.ts';
import { confidenceOf, keepSurer, wordsOf } from './keep-surer.ts';
import { type RecogniseOptions, type Recogniser, textZones } from './recogniser.ts';

/** From this mean confidence on, a second reading rarely finds anything better. */
const sureEnough = 0.87;
/** The same for a page whose shades were changed. */
const sureOfPrepared = 0.9;
/** Below this one, even two readings are hardly better than none. */
const hopeless = 0.6;

/**
 * Reads a page, and looks again if the reading is unsure: at the page without its preparation, and at the page prepared more
 * thoroughly. The surer reading of every line is kept.
 */
export async function readCarefully(given: {
  recogniser: Recogniser;
  image: Uint8Array;
  source: Uint8Array;
  transformation: Transformation | undefined;
  limits: ImageLimits;
  options: RecogniseOptions;
}): Promise<Page> {
  const { recogniser, options, source, transformation, limits } = given;
  const { log } = options;
  const read = async (image: Uint8Array) => rejoinLines(await recogniser.recognise(image, options));
  // Regions that another program has found are obeyed.
  if (textZones(options.layout)) return recogniser.recognise(given.image, options);
  let page = await read(given.image);
  const sure = () => confidenceOf(wordsOf(page));
  const isPrepared = changesShades(transformation?.steps);
  const views: ViewName[] = isPrepared ? ['plain', 'thorough', 'ghosts'] : ['thorough', 'ghosts'];
  let readings = 1;
  for (const name of views) {
    if (sure() >= (readings > 1 ? hopeless : isPrepared ? sureOfPrepared : sureEnough)) break;
    const view = await viewOf(name, source, transformation, parsePrepareConfig(''), limits);
    if (!view) continue;
    const again = await read(view.png);
    readings++;
    const what = view.steps.length === 0 ? 'as it came' : describeSteps(view.steps);
    const said = `confidence ${sure().toFixed(2)}, so read again ${what}: ${confidenceOf(wordsOf(again)).toFixed(2)}`;
    // The page as it came has the benefit of the doubt.
    const kept = name === 'plain' ? keepSurer(again, page) : keepSurer(page, again);
    page = kept.page;
    const isAgain = kept.second === (name !== 'plain');
    log(
      `${said}; the ${isAgain ? 'second' : 'first'} reading is kept, with ${kept.replaced + kept.added} lines of the other`,
    );
  }
  return inReadingOrder(page);
}
