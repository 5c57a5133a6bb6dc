import type { Grey } from '../../image/grey.ts';
import { histogramOf, otsu } from '../../image/histogram.ts';
import { doubtOf } from './doubt.ts';
import type { Model } from './model.ts';

/** Pages with black letters are rarely darker, even with a black border around a small sheet. */
const leastDark = 0.6;

/** Inverts negatives, such as microfilms and photocopies: if a page is mostly dark, some lines are read both ways. */
export async function positiveOf<Page extends Grey>(
  model: Model,
  page: Page,
  signal: AbortSignal,
): Promise<Page> {
  if (darkShare(page) < leastDark) return page;
  const inverted = { ...page, data: page.data.map((shade) => 255 - shade) };
  const doubt = await doubtOf(model, page, signal);
  return (await doubtOf(model, inverted, signal)) < doubt / 2 ? inverted : page;
}

function darkShare({ data }: Grey): number {
  const histogram = histogramOf(data, 7);
  const threshold = otsu(histogram);
  const count = (from: number, to: number) => histogram.subarray(from, to).reduce((sum, one) => sum + one, 0);
  return count(0, threshold) / Math.max(1, count(0, 256));
}
