import { PismakError } from '../ground/errors.ts';

export const maxValueBytes = 512 * 1024;

/** The same rules for every adapter: all refuse what any one store cannot keep. */
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
    `"${path.slice(0, 100)}" is not a path. A path looks like /workers/w1, without empty parts, "." or "..", or control characters.`,
  );
}

/** Also accepts the root, which has children. */
export function checkParent(path: string): void {
  if (path !== '/') checkPath(path);
}

export function checkValue(path: string, value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > maxValueBytes) {
    throw new PismakError(
      'too-large',
      `The value for ${path} has ${bytes} bytes; the limit is ${maxValueBytes}. Keep large data in blobs.`,
    );
  }
  if (!value.isWellFormed() || value.includes('\0')) {
    throw new PismakError('invalid-input', `The value for ${path} must be text without NUL characters.`);
  }
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isName(part: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the refused characters
  return part !== '' && part !== '.' && part !== '..' && !/[\u0000-\u001f\u007f-\u009f]/.test(part);
}
