import { number, type StageConfig } from '../../engine/stage/stage-config.ts';

/** What one page may cost. Keys of every stage that opens images. */
export const limitSettings = {
  // A0 at 300 dpi has 139. An image is held in memory at a byte a pixel, or four.
  MAX_MEGAPIXELS: number(150, 'largest image that is opened', { min: 1, max: 2000 }),
  MAX_MEGABYTES: number(1024, 'largest file that is opened, and all files of a ZIP together', {
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
