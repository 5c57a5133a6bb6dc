import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PismakError } from '../../engine/ground/errors.ts';

/** Maximum size of a decompressed file: a few bytes of gzip can stand for gigabytes. */
const largestFile = 512 << 20;
const unpack = promisify(gunzip);

/** Reads a file, or standard input for `-`, and decompresses gzip. */
export async function readInput(path: string): Promise<Buffer> {
  const bytes = path === '-' ? await buffer(process.stdin) : await readNamed(path);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await unpack(bytes, { maxOutputLength: largestFile });
  } catch (cause) {
    throw new PismakError(
      'invalid-input',
      `${path} is damaged gzip, or decompresses to more than ${largestFile >> 20} MB`,
      {
        cause,
      },
    );
  }
}

async function readNamed(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new PismakError('not-found', `can't read ${path}; check its name and permissions`, { cause });
  }
}
