import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Random } from '../../src/engine/ground/identity.ts';
import { craftedFiles } from './crafted-files.ts';
import { decoderBombs } from './decoder-bombs.ts';
import { pdfOf, storedZip } from './file-builders.ts';
import { pick } from './hostile-inputs.ts';

export interface HostileFile {
  name: string;
  kind: string;
  content: Uint8Array;
}

/** Small good files of every kind, made of a real scan: a mutated one still costs little to read. */
export async function goodFiles(): Promise<HostileFile[]> {
  const scans = join(import.meta.dirname, '..', '..', 'samples', 'scans');
  const strip = await sharp(await readFile(join(scans, 'clean-1.png')))
    .extract({ left: 100, top: 100, width: 700, height: 120 })
    .toBuffer();
  const image = () => sharp(strip);
  const jpeg = await image().jpeg().toBuffer();
  return [
    { name: 'good.png', kind: 'png', content: await image().png().toBuffer() },
    { name: 'good.jpg', kind: 'jpeg', content: jpeg },
    { name: 'good.tif', kind: 'tiff', content: await image().tiff({ compression: 'lzw' }).toBuffer() },
    { name: 'raw.tif', kind: 'tiff', content: await image().tiff({ compression: 'none' }).toBuffer() },
    { name: 'good.webp', kind: 'webp', content: await image().webp().toBuffer() },
    { name: 'good.gif', kind: 'gif', content: await image().gif().toBuffer() },
    { name: 'good.pdf', kind: 'pdf', content: pdfOf(jpeg, 700, 120) },
    {
      name: 'good.zip',
      kind: 'zip',
      content: storedZip([
        ['a.jpg', jpeg],
        ['b/ž.jpg', jpeg],
      ]),
    },
  ];
}

/** An endless row of hostile files: first the crafted ones, then good ones with something broken. */
export function* hostileFiles(random: Random, good: readonly HostileFile[]): Generator<HostileFile> {
  const bombs = Object.entries(decoderBombs).map(([name, make]) => ({
    name,
    kind: 'crafted',
    content: make(),
  }));
  const crafted = [...craftedFiles(), ...bombs];
  for (let number = 0; ; number++) {
    const next = number < crafted.length ? crafted[number] : undefined;
    if (next) {
      yield next;
      continue;
    }
    const file = pick(random, good);
    yield { ...file, name: `${number}-${file.name}`, content: mutated(random, file.content) };
  }
}

function mutated(random: Random, content: Uint8Array): Uint8Array {
  const bytes = Buffer.from(content);
  const at = () => Math.floor(random() * bytes.length);
  // Headers matter most: half of the changes hit the first or last kilobyte.
  const near = () => {
    const roll = random();
    if (roll < 0.35) return Math.floor(random() * Math.min(1024, bytes.length));
    if (roll < 0.5) return Math.max(0, bytes.length - 1 - Math.floor(random() * 1024));
    return at();
  };
  const roll = random();
  if (roll < 0.15) return bytes.subarray(0, at());
  if (roll < 0.22) return Buffer.concat([bytes.subarray(at()), bytes.subarray(0, at())]);
  if (roll < 0.3) return Buffer.concat([bytes, bytes.subarray(at())]);
  if (roll < 0.4) {
    const from = near();
    const to = Math.min(bytes.length, from + 1 + Math.floor(random() * 64));
    bytes.fill(pick(random, [0, 0xff]), from, to);
    return bytes;
  }
  const changes = 1 + Math.floor(random() * 12);
  for (let change = 0; change < changes; change++) bytes[near()] = Math.floor(random() * 256);
  return bytes;
}
