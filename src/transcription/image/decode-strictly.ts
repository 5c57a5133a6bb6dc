import type { Sharp, SharpOptions } from 'sharp';
import { messageOf } from '../../engine/ground/errors.ts';
import { PermanentFailure } from '../../engine/processor/processor.ts';
import { loadSharp } from './load-sharp.ts';

/**
 * Decodes an image and fails if any part is damaged or missing, where the image library would return grey. Tolerates oddities
 * that change no pixel: unknown tags, a wrong profile, a missing end marker.
 *
 * `use` consumes the pixels. It is called again if the first try stopped at such an oddity.
 */
export async function decodeStrictly<Result>(
  input: string | Uint8Array,
  options: SharpOptions & { isTiff: boolean },
  use: (image: Sharp) => Promise<Result>,
): Promise<Result> {
  const sharp = await loadSharp();
  const { isTiff, ...more } = options;
  const decode = async (failOn: 'error' | 'warning') => {
    const warnings: string[] = [];
    const image = sharp(input, { ...more, failOn });
    image.on('warning', (text: string) => warnings.push(text));
    const result = await use(image);
    const damage = warnings.find((text) => damages.test(text));
    if (damage !== undefined) throw new Error(damage);
    return result;
  };
  try {
    if (!isTiff) return await decode('error');
    // Only this level checks the tiles of a TIFF, but it also stops at any oddity.
    return await decode('warning').catch((error: unknown) => {
      if (tellsOfDamage(messageOf(error))) throw error;
      return decode('error');
    });
  } catch (error) {
    throw damaged(error);
  }
}

/** Warnings about pixels that are missing or wrong. All others are about metadata. */
const damages =
  /tiff2vips|corrupt jpeg data: (premature end|bad huffman)|found marker|premature eo|line length mismatch|bad code|discarding|not enough data|decoding error|read error/i;

function tellsOfDamage(warnings: string): boolean {
  return warnings
    .split('\n')
    .some((line) => damages.test(line) || (/crc error/i.test(line) && /idat/i.test(line)));
}

/** The failure for an image that can't be decoded, with the library's reason. */
export function damaged(error: unknown): Error {
  if (error instanceof PermanentFailure) return error;
  const lines = messageOf(error)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^error in tile/.test(line));
  const detail = (lines.find(tellsOfDamage) ?? lines.at(-1) ?? 'no reason given').slice(0, 120);
  // A full disk is not the image's fault.
  if (lines.every((line) => /unable to write|write error|no space/i.test(line))) return new Error(detail);
  return new PermanentFailure(`the image is damaged or truncated (${detail}); scan or upload it again`);
}
