import type { ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { checkImage, describeImage } from '../image/open-image.ts';

/**
 * Converts the image for the recogniser: upright, because recognisers ignore the EXIF orientation, and in a format that it
 * supports.
 */
export async function readableImage(
  image: Uint8Array,
  formats: readonly string[],
  limits: ImageLimits,
  { isChecked }: { isChecked: boolean },
): Promise<Uint8Array> {
  const { format } = await describeImage(image, limits);
  // Recognisers read damaged images without complaint.
  if (!isChecked) await checkImage(image, limits);
  const sharp = await loadSharp();
  const { orientation = 1 } = await sharp(image).metadata();
  if (orientation <= 1 && formats.includes(format)) return image;
  return sharp(image).autoOrient().png({ compressionLevel: 1 }).toBuffer();
}
