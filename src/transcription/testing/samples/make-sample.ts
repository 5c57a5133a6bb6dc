import type { Sharp } from 'sharp';
import type { Random } from '../../../engine/ground/identity.ts';
import { seededRandom } from '../../../engine/simulation/chance.ts';
import type { Grey } from '../../image/grey.ts';
import { loadSharp } from '../../image/load-sharp.ts';
import { addNoise, blackBorder, bleedThrough, fade, unevenLight } from './degrade.ts';
import { type FontName, loadFont } from './fonts.ts';
import { type Typeset, typeset } from './typeset.ts';

/** Good pages in several typefaces and layouts, then pages with one fault each. */
export const sampleKinds = [
  'clean',
  'garamond',
  'typewriter',
  'fraktur',
  'two-columns',
  'marginalia',
  'skew',
  'noise',
  'bleed-through',
  'low-resolution',
  'uneven-light',
  'faded',
  'black-border',
] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** The kinds that `prepare` must improve. */
export const degradedKinds: readonly SampleKind[] = sampleKinds.slice(6);

export interface Sample {
  /** JPEG or PNG. */
  image: Buffer;
  extension: 'png' | 'jpg';
  truth: string;
  dpi: number;
}

/** An A4 page of Czech text as from a scanner, with its true text. The same seed gives the same page. */
export async function makeSample(kind: SampleKind, seed: number, size: SampleSize = {}): Promise<Sample> {
  const random = seededRandom(seed * 1000 + sampleKinds.indexOf(kind));
  const dpi = size.dpi ?? 200;
  const share = size.share ?? 1;
  const width = Math.round(dpi * 8.27);
  const height = Math.round(dpi * 11.69 * share);
  const page = await setPage(kind, random, dpi, width, height);
  const grey = await render(page, width, height);
  if (kind === 'noise') addNoise(grey, random, 110, 0.004);
  if (kind === 'bleed-through') {
    fade(grey, 236, 50);
    bleedThrough(grey, await render(await setPage(kind, random, dpi, width, height), width, height), 0.4);
  }
  if (kind === 'uneven-light') unevenLight(grey, 0.25);
  if (kind === 'faded') {
    fade(grey, 190, 140);
    addNoise(grey, random, 24, 0);
  }
  const sharp = await loadSharp();
  let image: Sharp = sharp(grey.data, { raw: { width, height, channels: 1 } });
  let density = dpi;
  if (kind === 'skew') {
    const angle = (random() < 0.5 ? -1 : 1) * (3 + random() * 6);
    image = image.rotate(angle, { background: '#fff' });
  }
  if (kind === 'low-resolution') {
    density = dpi * 0.42;
    image = image.resize({ width: Math.round(width * 0.42) });
  }
  if (kind === 'black-border') {
    const turned = await image
      .rotate((random() - 0.5) * 3, { background: '#fff' })
      .greyscale()
      .raw()
      .toBuffer({
        resolveWithObject: true,
      });
    const bordered = {
      data: new Uint8Array(turned.data),
      width: turned.info.width,
      height: turned.info.height,
    };
    blackBorder(bordered, random, 0.05);
    image = sharp(bordered.data, { raw: { width: bordered.width, height: bordered.height, channels: 1 } });
  }
  image = image.toColourspace('b-w').withDensity(Math.round(density));
  const grainy = kind === 'noise' || kind === 'faded';
  const bytes = await (grainy ? image.jpeg({ quality: 80 }) : image.png({ compressionLevel: 9 })).toBuffer();
  return { image: bytes, extension: grainy ? 'jpg' : 'png', truth: page.truth, dpi: Math.round(density) };
}

export interface SampleSize {
  dpi?: number;
  /** The share of the sheet's height to make, from the top; for quick tests. */
  share?: number;
}

const fontOf: Partial<Record<SampleKind, FontName>> = {
  garamond: 'garamond',
  typewriter: 'worn-typewriter',
  fraktur: 'fraktur',
  noise: 'garamond',
  faded: 'typewriter',
};

async function setPage(
  kind: SampleKind,
  random: Random,
  dpi: number,
  width: number,
  height: number,
): Promise<Typeset> {
  return typeset({
    font: await loadFont(fontOf[kind] ?? 'serif'),
    random,
    width,
    height,
    // 11 points.
    fontSize: Math.round((dpi * 11) / 72),
    margin: Math.round(dpi * 0.9),
    columns: kind === 'two-columns' ? 2 : 1,
    heading: true,
    marginalia: kind === 'marginalia',
  });
}

async function render(page: Typeset, width: number, height: number): Promise<Grey> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><path d="${page.outline}"/></svg>`;
  const sharp = await loadSharp();
  const data = await sharp(Buffer.from(svg), { unlimited: true })
    .flatten({ background: '#fff' })
    .greyscale()
    .raw()
    .toBuffer();
  return { data: new Uint8Array(data), width, height };
}
