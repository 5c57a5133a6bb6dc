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

export function limitsOf(config: StageConfig<typeof limitSettings>): ImageLimits {
  return { pixels: config.MAX_MEGAPIXELS * 1e6, bytes: config.MAX_MEGABYTES * 1024 * 1024 };
}
