import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Grey } from '../../src/transcription/image/grey.ts';

export interface TrueLine {
  image: Grey;
  text: string;
  /** The document that it is from. */
  page: string;
}

const height = 40;
/** Marks that transcribers put in for what is not a letter on the page: lines with them are left out, as in training. */
const conventions = /[~_⟦⟧◻☛☚△●✕✤▲⬤◼★⸫]/;

/**
 * Lines with known text, as training/lines.py packs them: `NAME.tsv` (width, page, text) and `NAME.2bit.xz`, column by column, four pixels
 * a byte, lowest bits first, 0 = ink, 3 = paper.
 */
export function packedLines(directory: string, name: string): TrueLine[] {
  const { stdout, status } = spawnSync('xz', ['-dc', join(directory, `${name}.2bit.xz`)], {
    maxBuffer: 2 ** 31,
  });
  if (status !== 0) throw new Error(`xz could not unpack ${name}.2bit.xz; is xz-utils installed?`);
  let at = 0;
  const rows = readFileSync(join(directory, `${name}.tsv`), 'utf8')
    .split('\n')
    .filter(Boolean);
  const lines = rows.map((row) => {
    const [size, page = '', text = ''] = row.split('\t');
    const width = Number(size);
    const data = new Uint8Array(width * height);
    for (let x = 0; x < width; x++) {
      for (let y = 0; y < height; y++, at++)
        data[y * width + x] = (((stdout[at >> 2] ?? 0) >> ((at & 3) * 2)) & 3) * 85;
    }
    return { image: { data, width, height }, text, page };
  });
  return lines.filter(({ text, image }) => text !== '' && !conventions.test(text) && image.width >= 8);
}
