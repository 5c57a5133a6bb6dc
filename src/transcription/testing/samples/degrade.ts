import type { Random } from '../../../engine/ground/identity.ts';
import type { Grey } from '../../image/grey.ts';

/** Adds sensor grain everywhere, and specks of dust. `specks` is the share of pixels with dust. */
export function addNoise(image: Grey, random: Random, strength: number, specks: number): void {
  const { data, width, height } = image;
  for (let at = 0; at < data.length; at++) {
    // The sum of a few uniform values is close to a normal distribution.
    const grain = (random() + random() + random() - 1.5) * strength;
    data[at] = clamp((data[at] ?? 0) + grain);
  }
  for (let count = Math.floor(data.length * specks); count > 0; count--) {
    const x = Math.floor(random() * (width - 2));
    const y = Math.floor(random() * (height - 2));
    const shade = random() < 0.7 ? 30 : 245;
    const size = random() < 0.5 ? 1 : 2;
    for (let row = y; row < y + size; row++) data.fill(shade, row * width + x, row * width + x + size);
  }
}

/** The other side of the sheet shows through, mirrored; `ink` is how dark, 0 to 1. */
export function bleedThrough(image: Grey, back: Grey, ink: number): void {
  const { data, width, height } = image;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const behind = 255 - (back.data[y * width + (width - 1 - x)] ?? 255);
      const at = y * width + x;
      data[at] = clamp((data[at] ?? 0) - behind * ink);
    }
  }
}

/** Light from one side, and a shadow in the fold of the book. */
export function unevenLight(image: Grey, darkest: number): void {
  const { data, width, height } = image;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const fold = Math.exp(-x / (width * 0.12));
      const far = (x / width + y / height) / 2;
      const light = Math.max(darkest, 1 - 0.35 * far - (1 - darkest) * fold);
      const at = y * width + x;
      data[at] = clamp((data[at] ?? 0) * light);
    }
  }
}

/** Faded ink on yellowed paper: little contrast. */
export function fade(image: Grey, paper: number, ink: number): void {
  const { data } = image;
  for (let at = 0; at < data.length; at++) data[at] = ink + ((data[at] ?? 0) * (paper - ink)) / 255;
}

/** The black that a scanner shows beyond the sheet. */
export function blackBorder(image: Grey, random: Random, share: number): void {
  const { data, width, height } = image;
  const left = Math.floor(width * share);
  const top = Math.floor(height * share * 0.6);
  for (let y = 0; y < height; y++) {
    const ragged = left + Math.floor(Math.sin(y / 200) * left * 0.2);
    for (let x = 0; x < width; x++) {
      if (x < ragged || y < top || x > width - ragged * 0.6) data[y * width + x] = Math.floor(random() * 25);
    }
  }
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, value));
}
