import { PismakError } from '../errors.ts';

export const maxValueBytes = 512 * 1024;

/** The same rules for every adapter: what one of the stores could not keep is refused by all. */
export function checkPath(path: string): void {
  const parts = path.split('/').slice(1);
  const wellFormed =
    path.startsWith('/') &&
    Buffer.byteLength(path) <= 1000 &&
    path.isWellFormed() &&
    parts.every((part) => isName(part));
  if (wellFormed) return;
  throw new PismakError(
    'invalid-input',
    `"${path.slice(0, 100)}" is no path: it looks like /workers/w1, with no empty parts, "." or "..", control characters`,
  );
}

/** Children may be asked of the root too. */
export function checkParent(path: string): void {
  if (path !== '/') checkPath(path);
}

export function checkValue(path: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > maxValueBytes) {
    throw new PismakError(
      'too-large',
      `The value for ${path} has ${bytes} bytes, ${maxValueBytes} are allowed: keep big things in Blobs`,
    );
  }
  if (!value.isWellFormed() || value.includes('\0')) {
    throw new PismakError('invalid-input', `The value for ${path} must be text without NUL characters`);
  }
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isName(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return part !== '' && part !== '.' && part !== '..' && !/[\u0000-\u001f\u007f-\u009f]/.test(part);
}
