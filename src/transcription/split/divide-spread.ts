import { readFile, rm } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { isPermanent } from '../../engine/processor/processor.ts';
import { type ImageLimits, limitsOf } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { blackAndWhitePng, readGrey } from '../image/open-image.ts';
import { findFold, leastShape } from '../layout/find-fold.ts';
import { halfName } from './half-name.ts';
import type { FoundPage } from './pages-of.ts';
import type { SplitConfig } from './split-config.ts';

/** Divides an image of two pages. Single pages, and pages with text of their own, stay whole. */
export async function divideSpread(found: FoundPage, config: SplitConfig): Promise<FoundPage[]> {
  if (!config.SPREADS || 'error' in found || found.text || found.hasText) return [found];
  if (found.width < leastShape * found.height) return [found];
  const fold = await foldIn(found.image, limitsOf(config));
  if (fold === undefined) return [found];
  const { name, image, width, ...facts } = found;
  const left = { left: 0, top: 0, width: fold, height: found.height };
  const right = { ...left, left: fold, width: width - fold };
  const pages: FoundPage[] = [];
  for (const [side, box] of [['left', left] as const, ['right', right] as const]) {
    const to = `${image}-${side}`;
    await (await cut(image, box)).toFile(to);
    pages.push({ ...facts, name: halfName(name, side), image: to, width: box.width });
  }
  await rm(image, { force: true });
  return pages;
}

async function foldIn(path: string, limits: ImageLimits): Promise<number | undefined> {
  try {
    return findFold(await readGrey(await readFile(path), limits));
  } catch (error) {
    // The next stage fails a damaged image, with the reason.
    if (isPermanent(error)) return undefined;
    throw error;
  }
}

/** Cuts a part out of an image, as JPEG if it is one, otherwise without loss. */
async function cut(
  path: string,
  box: { left: number; top: number; width: number; height: number },
): Promise<Sharp> {
  const sharp = await loadSharp();
  const { format, density, bitsPerSample } = await sharp(path).metadata();
  const part = sharp(path).autoOrient().extract(box);
  const sized = density === undefined ? part : part.withDensity(density);
  if (format === 'jpeg') return sized.jpeg({ quality: 95, chromaSubsampling: '4:4:4' });
  const isBilevel = bitsPerSample === 1;
  return sized.png(isBilevel ? blackAndWhitePng : { compressionLevel: 3 });
}
