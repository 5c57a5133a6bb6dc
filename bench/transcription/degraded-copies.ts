import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../src/engine/simulation/chance.ts';
import type { Grey } from '../../src/transcription/image/grey.ts';
import { loadSharp } from '../../src/transcription/image/load-sharp.ts';
import { readGrey } from '../../src/transcription/image/open-image.ts';
import { addNoise, blackBorder, fade, unevenLight } from '../../src/transcription/testing/samples/degrade.ts';
import type { RealPage } from './real-pages.ts';

const limits = { pixels: 150e6, bytes: 2 ** 30 };
type Sharp = Awaited<ReturnType<typeof loadSharp>>;

interface Degradation {
  name: string;
  /** Changes the pixels. */
  spoil?(image: Grey, random: () => number): void;
  reshape?(image: ReturnType<Sharp>, size: Grey): ReturnType<Sharp>;
}

const degradations: readonly Degradation[] = [
  { name: 'skewed', reshape: (image) => image.rotate(1.3, { background: '#fff' }) },
  { name: 'faded', spoil: (image) => fade(image, 215, 130) },
  { name: 'dark-side', spoil: (image) => unevenLight(image, 0.45) },
  { name: 'noisy', spoil: (image, random) => addNoise(image, random, 60, 0.002) },
  { name: 'small', reshape: (image, { width }) => image.resize({ width: Math.round(width * 0.55) }) },
  { name: 'bordered', spoil: (image, random) => blackBorder(image, random, 0.05) },
];

/** A copy of every page whose lines bend up towards the left edge, as near the fold of a thick book. */
export async function curvedCopies(pages: readonly RealPage[], directory: string): Promise<RealPage[]> {
  const sharp = await loadSharp();
  const copies: RealPage[] = [];
  for (const page of pages) {
    const { data, width, height } = curved(await readGrey(await readFile(page.path), limits));
    const path = join(directory, `${page.name}-curved.png`);
    await sharp(data, { raw: { width, height, channels: 1 } })
      .png({ compressionLevel: 1 })
      .toFile(path);
    copies.push({ ...page, name: `${page.name}-curved`, path });
  }
  return copies;
}

/** The part of the width that is bent, and how far, of the height: about a line and a half. */
const [bent, rise] = [0.3, 0.025];

function curved({ data, width, height }: Grey): Grey {
  const bend = Uint8Array.from(data);
  for (let x = 0; x < bent * width; x++) {
    const shift = rise * height * (1 - x / (bent * width)) ** 2;
    const [whole, part] = [Math.floor(shift), shift % 1];
    for (let y = 0; y < height; y++) {
      const [above, below] = [y + whole, y + whole + 1].map(
        (row) => data[Math.min(height - 1, row) * width + x] ?? 255,
      );
      bend[y * width + x] = (above ?? 255) * (1 - part) + (below ?? 255) * part;
    }
  }
  return { data: bend, width, height };
}

/** A worse copy of every nth page, each worse in another way, always the same. Their kind is the page's, so folds by kind keep them together. */
export async function degradedCopies(
  pages: readonly RealPage[],
  directory: string,
  every: number,
): Promise<RealPage[]> {
  const sharp = await loadSharp();
  await mkdir(directory, { recursive: true });
  const copies: RealPage[] = [];
  for (const [index, page] of pages.entries()) {
    if (index % every !== every - 1) continue;
    const { name, spoil, reshape } = degradations[
      Math.floor(index / every) % degradations.length
    ] as Degradation;
    const grey = await readGrey(await readFile(page.path), limits);
    spoil?.(grey, seededRandom(index));
    const { width, height } = grey;
    const image = sharp(Buffer.from(grey.data), { raw: { width, height, channels: 1 } });
    const path = join(directory, `${page.name}-${name}.jpg`);
    await (reshape ? reshape(image, grey) : image).jpeg({ quality: 90 }).toFile(path);
    copies.push({ ...page, name: `${page.name}-${name}`, path });
  }
  return copies;
}
