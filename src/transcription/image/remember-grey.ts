import type { Grey } from './grey.ts';
import type { ImageLimits } from './image-limits.ts';
import { readGrey } from './open-image.ts';

/** The pixels of an image; callers must not change them. */
export type Decode = (image: Uint8Array) => Promise<Grey & { dpi?: number }>;

/** Decodes images and caches the last one: a large page takes a tenth of a second. */
export function rememberGrey(limits: ImageLimits): Decode {
  let last: { image: Uint8Array; grey: ReturnType<Decode> } | undefined;
  return (image) => {
    if (last?.image !== image) last = { image, grey: readGrey(image, limits) };
    return last.grey;
  };
}
