import { PermanentFailure } from '../../engine/processor/processor.ts';
import { number, type StageConfig } from '../../engine/stage/stage-config.ts';

/** Limits on one page. Every stage that opens images has these keys. */
export const limitSettings = {
  // A0 at 300 dpi has 139. An image takes one or four bytes of memory per pixel.
  MAX_MEGAPIXELS: number(150, 'limit on the size of an image, in megapixels', { min: 1, max: 2000 }),
  MAX_MEGABYTES: number(1024, 'limit on the size of a file, and of all files in a ZIP together', {
    min: 1,
    max: 8192,
  }),
};

export interface ImageLimits {
  pixels: number;
  bytes: number;
}

/** The limit of JPEG: 5.5 m at 300 dpi. */
export const longestSide = 65_535;

export function limitsOf(config: StageConfig<typeof limitSettings>): ImageLimits {
  return { pixels: config.MAX_MEGAPIXELS * 1e6, bytes: config.MAX_MEGABYTES * 1024 * 1024 };
}

/** Call it before decoding. */
export function checkPixels({ width, height }: { width: number; height: number }, limits: ImageLimits): void {
  const found = `the image has ${width} x ${height} pixels`;
  if (!(width >= 1 && height >= 1)) throw new PermanentFailure(`${found}; it is damaged`);
  if (Math.max(width, height) > longestSide)
    throw new PermanentFailure(`${found}; the limit is ${longestSide} on each side, so divide it`);
  if (width * height > limits.pixels) {
    throw new PermanentFailure(
      `${found}, which is ${Math.round((width * height) / 1e6)} million; the limit is ${Math.round(limits.pixels / 1e6)} million`,
    );
  }
}
