/** A greyscale image, row by row: 0 is black, 255 is white. */
export interface Grey {
  data: Uint8Array;
  width: number;
  height: number;
}

/** The image reduced by a whole factor. Every pixel is the mean of a square; incomplete squares are cropped. */
export function reduce(image: Grey, factor: number): Grey {
  if (factor <= 1) return image;
  if (factor === 2 && image.width > 1 && image.height > 1) return halve(image);
  const width = Math.max(1, Math.floor(image.width / factor));
  const height = Math.max(1, Math.floor(image.height / factor));
  const rows = Math.min(factor, image.height);
  const columns = Math.min(factor, image.width);
  const data = new Uint8Array(width * height);
  const sums = new Uint32Array(width);
  const share = 1 / (rows * columns);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    for (let row = y * factor; row < y * factor + rows; row++) {
      // Column by column keeps the inner loops simple.
      for (let column = 0; column < columns; column++) {
        let at = row * image.width + column;
        for (let x = 0; x < width; x++, at += factor)
          sums[x] = (sums[x] as number) + (image.data[at] as number);
      }
    }
    for (let x = 0; x < width; x++) data[y * width + x] = (sums[x] as number) * share;
  }
  return { data, width, height };
}

/** Reduces by 2, the most common factor, in half the time. */
function halve({ data: source, width: full, height: tall }: Grey): Grey {
  const width = full >> 1;
  const height = tall >> 1;
  const data = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++) {
    let above = 2 * y * full;
    let below = above + full;
    for (let x = 0; x < width; x++, above += 2, below += 2) {
      const upper = (source[above] as number) + (source[above + 1] as number);
      data[to++] = (upper + (source[below] as number) + (source[below + 1] as number)) >> 2;
    }
  }
  return { data, width, height };
}

/** The factor that brings the longer side close to `longest`, never above twice that. */
export function factorFor(image: { width: number; height: number }, longest: number): number {
  return Math.max(1, Math.round(Math.max(image.width, image.height) / longest));
}
