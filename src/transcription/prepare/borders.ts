import type { Grey } from '../image/grey.ts';
import { histogramOf, percentile } from '../image/histogram.ts';
import type { Box } from '../page/page.ts';

/** Mask of the black area beyond the sheet, in a reduced image: 1 in `data`. */
export interface Border extends Grey {
  /** Of all pixels. */
  share: number;
}

/** Finds black areas that reach in from the edges. Undefined if it is only a speck, or most of the page. */
export function findBorder(reduced: Grey): Border | undefined {
  const { width, height } = reduced;
  const paper = percentile(histogramOf(reduced.data, 7), 0.9);
  const limit = Math.min(50, paper * 0.35);
  const isSolid = solidBlack(reduced, limit);
  const data = new Uint8Array(width * height);
  const open: number[] = [];
  let count = 0;
  const visit = (at: number) => {
    if (data[at] === 0 && isSolid(at)) {
      data[at] = 1;
      count++;
      open.push(at);
    }
  };
  for (let x = 0; x < width; x++) {
    visit(x);
    visit(data.length - 1 - x);
  }
  for (let at = 0; at < data.length; at += width) {
    visit(at);
    visit(at + width - 1);
  }
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    if (x > 0) visit(at - 1);
    if (x < width - 1) visit(at + 1);
    if (at >= width) visit(at - width);
    if (at < data.length - width) visit(at + width);
  }
  const share = count / data.length;
  return share < 0.003 || share > 0.6
    ? undefined
    : { data: grown(data, width, height, 3), width, height, share };
}

/** The sheet inside the border, in pixels of the whole image: rows and columns that are mostly not border. */
export function sheetOf(border: Border, factor: number, image: { width: number; height: number }): Box {
  const { data, width, height } = border;
  const rows = new Int32Array(height);
  const columns = new Int32Array(width);
  for (let at = 0; at < data.length; at++) {
    if (data[at] === 1) continue;
    const x = at % width;
    columns[x] = (columns[x] as number) + 1;
    const y = (at - x) / width;
    rows[y] = (rows[y] as number) + 1;
  }
  const isSheet = (count: number, most: number) => count > most / 2;
  const left = columns.findIndex((count) => isSheet(count, height));
  const right = columns.findLastIndex((count) => isSheet(count, height)) + 1;
  const top = rows.findIndex((count) => isSheet(count, width));
  const bottom = rows.findLastIndex((count) => isSheet(count, width)) + 1;
  if (left < 0 || top < 0) return { left: 0, top: 0, width: image.width, height: image.height };
  const [end, foot] = [
    right === width ? image.width : right * factor,
    bottom === height ? image.height : bottom * factor,
  ];
  return { left: left * factor, top: top * factor, width: end - left * factor, height: foot - top * factor };
}

/** Paints the border of the page in the shade of the paper, in place. */
export function whiten(image: Grey, border: Border, factor: number, paper: number): void {
  for (let y = 0; y < image.height; y++) {
    const row = Math.min(border.height - 1, Math.floor(y / factor)) * border.width;
    for (let x = 0; x < border.width; x++) {
      if (border.data[row + x] !== 1) continue;
      const start = x;
      while (x < border.width && border.data[row + x] === 1) x++;
      const end = x === border.width ? image.width : x * factor;
      image.data.fill(paper, y * image.width + start * factor, y * image.width + end);
    }
  }
}

/** Black pixels surrounded by black, so that letters touching the border don't become part of it. */
function solidBlack({ data, width, height }: Grey, limit: number): (at: number) => boolean {
  const isBlack = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height || (data[y * width + x] as number) < limit;
  return (at) => {
    if ((data[at] as number) >= limit) return false;
    const x = at % width;
    const y = (at - x) / width;
    return isBlack(x - 2, y) && isBlack(x + 2, y) && isBlack(x, y - 2) && isBlack(x, y + 2);
  };
}

function grown(mask: Uint8Array, width: number, height: number, by: number): Uint8Array {
  const wide = new Uint8Array(mask.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (mask[y * width + x] !== 1) continue;
      wide.fill(1, y * width + Math.max(0, x - by), y * width + Math.min(width, x + by + 1));
    }
  }
  const grown = new Uint8Array(mask.length);
  for (let y = 0; y < height; y++) {
    const top = Math.max(0, y - by);
    const bottom = Math.min(height - 1, y + by);
    for (let x = 0; x < width; x++) {
      if (wide[y * width + x] !== 1) continue;
      for (let row = top; row <= bottom; row++) grown[row * width + x] = 1;
    }
  }
  return grown;
}
