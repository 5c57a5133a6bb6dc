import { largestSent, longestSent, type Size } from './image-request.ts';

const tileWidth = 1024;

/** The description of a page's image: `info.json` of the Image API 3.0. */
export function imageInfo(id: string, { width, height }: Size): object {
  return {
    '@context': 'http://iiif.io/api/image/3/context.json',
    id,
    type: 'ImageService3',
    protocol: 'http://iiif.io/api/image',
    profile: 'level1',
    width,
    height,
    maxWidth: longestSent,
    sizes: smallerSizes({ width, height }),
    tiles: [{ width: tileWidth, scaleFactors: scaleFactors({ width, height }) }],
    extraFeatures: ['sizeByWh', 'sizeByConfinedWh', 'cors', 'jsonldMediaType'],
  };
}

/** Successive halvings of the image that may be sent whole, smallest first. */
function smallerSizes(image: Size): Size[] {
  const sizes = scaleFactors(image).map((factor) => ({
    width: Math.ceil(image.width / factor),
    height: Math.ceil(image.height / factor),
  }));
  const whole = largestSent(image);
  return sizes.filter(({ width, height }) => width <= whole.width && height <= whole.height).reverse();
}

/** Until the whole image is one tile. */
function scaleFactors({ width, height }: Size): number[] {
  const factors = [1];
  for (let factor = 2; Math.max(width, height) / (factor / 2) > tileWidth; factor *= 2) factors.push(factor);
  return factors;
}
