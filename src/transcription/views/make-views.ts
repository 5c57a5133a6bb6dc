import { writeFile } from 'node:fs/promises';
import type { ImageLimits } from '../image/image-limits.ts';
import { loadSharp } from '../image/load-sharp.ts';
import { describeImageFile } from '../image/open-image.ts';
import { type View, views } from './views.ts';

/** Writes the views of an image as new files. Call it only in a process for foreign files: it decodes. */
export async function makeViews(
  path: string,
  to: Readonly<Record<View, string>>,
  limits: ImageLimits,
): Promise<void> {
  await describeImageFile(path, limits);
  const screen = await drawn(path, 'view', limits);
  await writeFile(to.view, screen);
  // From the view, because the page may be a hundred times as large.
  await writeFile(to.thumbnail, await drawn(screen, 'thumbnail', limits));
}

/** Damage is left to the stages that read the page: they say what is wrong. */
async function drawn(from: string | Buffer, view: View, limits: ImageLimits): Promise<Buffer> {
  const sharp = await loadSharp();
  const image = sharp(from, { limitInputPixels: limits.pixels, failOn: 'none' });
  const isGrey = (await image.metadata()).space === 'b-w';
  const { longest, quality } = views[view];
  return image
    .autoOrient()
    .flatten({ background: '#fff' })
    .resize({ width: longest, height: longest, fit: 'inside', withoutEnlargement: true })
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .jpeg({ quality })
    .toBuffer();
}
