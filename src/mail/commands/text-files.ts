import { writeFile } from 'node:fs/promises';
import { reasonOf } from '../../engine/files/system-error.ts';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';

export async function writeTo(file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content).catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
}

export function cannotWrite(file: string, error: unknown): PismakError {
  return new PismakError('invalid-input', `${file} can't be written: ${reasonOf(error)}`, { cause: error });
}

export function parseJson(name: string, text: string) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PismakError('invalid-input', `${name} is not JSON: ${messageOf(error)}`);
  }
}
