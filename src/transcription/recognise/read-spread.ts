import { boxAround } from '../image/box.ts';
import type { ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { describeImage, readGrey } from '../image/open-image.ts';
import { findFold, leastShape } from '../layout/find-fold.ts';
import { inReadingOrder } from '../layout/reading-order.ts';
import type { Page, Region } from '../page/page.ts';
import { shifted } from '../page/shift-page.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';

/** Where the two pages of a spread meet; undefined if the image shows one page. Upright images are not decoded. */
export async function foldOf(image: Uint8Array, limits: ImageLimits): Promise<number | undefined> {
  const { width, height } = await describeImage(image, limits);
  return width < leastShape * height ? undefined : findFold(await readGrey(image, limits));
}

/** Reads the pages of a spread separately: each has its own skew, and no line crosses the fold. */
export async function readHalves(
  recogniser: Recogniser,
  image: Uint8Array,
  fold: number,
  options: RecogniseOptions,
): Promise<Page> {
  const sharp = await loadSharp();
  const { width, height, density } = await sharp(image).metadata();
  const half = async (left: number, right: number): Promise<Page> => {
    const cut = sharp(image).extract({ left, top: 0, width: right - left, height });
    const png = (density === undefined ? cut : cut.withDensity(density)).png({ compressionLevel: 1 });
    return shifted(await recogniser.recognise(await png.toBuffer(), options), left);
  };
  const [first, second] = [await half(0, fold), await half(fold, width)];
  return { ...first, width, height, regions: [...first.regions, ...second.regions] };
}

/** The left page before the right one, each in its own reading order, as one region of text each. */
export function inSpreadOrder(page: Page, fold: number): Page {
  const isLeft = ({ box }: Region) => box.left + box.width / 2 < fold;
  const halves = [page.regions.filter(isLeft), page.regions.filter((region) => !isLeft(region))];
  return {
    ...page,
    regions: halves.flatMap((regions) => joined(inReadingOrder({ ...page, regions }).regions)),
  };
}

function joined(regions: readonly Region[]): Region[] {
  const text = regions.filter(({ kind, paragraphs }) => kind === 'text' && paragraphs.length > 0);
  const rest = regions.filter((region) => !text.includes(region));
  if (text.length < 2) return [...regions];
  const box = boxAround(text.map((region) => region.box));
  return [{ kind: 'text', box, paragraphs: text.flatMap(({ paragraphs }) => paragraphs) }, ...rest];
}
