import type { Page } from '../page/page.ts';
import { describeSteps, type Step } from '../page/transformation.ts';
import type { ViewName } from '../prepare/views.ts';
import { confidenceOf, keepSurer, wordsOf } from './keep-surer.ts';
import { isFraktur } from './mend-fraktur.ts';
import { fitted, type Thresholds } from './thresholds.ts';

/** Another reading of the page, in the same pixels. */
export interface Look {
  steps: readonly Step[];
  page: Page;
  /** The image that was read. */
  png?: Uint8Array;
}

export interface Looking {
  /** Whether `prepare` changed the shades of the page. */
  isPrepared: boolean;
  language: string;
  /** Reads the page with other shades; undefined if they would be the same. */
  look(name: ViewName): Promise<Look | undefined>;
  log(line: string): void;
  thresholds?: Thresholds;
}

/**
 * Reads a page again while its reading is unsure and another may help, and keeps the surer reading of every line. `image` is that of
 * the surest reading, unless that is the first.
 */
export async function lookAgain(
  first: Page,
  looking: Looking,
): Promise<{ page: Page; image?: Uint8Array | undefined }> {
  const { isPrepared, language, look, log, thresholds = fitted } = looking;
  const { sureEnough, sureOfFraktur, sureOfPrepared, hopeless } = thresholds;
  const enough = isFraktur(language) ? sureOfFraktur : isPrepared ? sureOfPrepared : sureEnough;
  const views: ViewName[] = isPrepared ? ['plain', 'thorough', 'ghosts'] : ['thorough', 'ghosts'];
  let page = first;
  let image: Uint8Array | undefined;
  let readings = 1;
  for (const name of views) {
    const sure = confidenceOf(wordsOf(page));
    if (sure >= (readings > 1 ? hopeless : enough)) break;
    const again = await look(name);
    if (!again) continue;
    readings++;
    // Prefer the unprepared page if in doubt.
    const kept =
      name === 'plain' ? keepSurer(again.page, page, thresholds) : keepSurer(page, again.page, thresholds);
    page = kept.page;
    if (kept.second === (name !== 'plain')) image = again.png;
    const what = again.steps.length === 0 ? 'as it came' : describeSteps(again.steps);
    const which = kept.second === (name !== 'plain') ? 'second' : 'first';
    log(
      `confidence ${sure.toFixed(2)}, so read again ${what}: ${confidenceOf(wordsOf(again.page)).toFixed(2)}; ` +
        `the ${which} reading is kept, with ${kept.replaced + kept.added} lines of the other`,
    );
  }
  return { page, image };
}
