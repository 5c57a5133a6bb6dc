import { createHash } from 'node:crypto';
import { extname } from 'node:path';

const longestBytes = 200;

/**
 * A name from outside as the name of one file: no separators, no control or direction characters, never `.` or `..`, not
 * empty, short enough for any file system. Good names stay as they are.
 */
export function safeFileName(name: string): string {
  const safe = name
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[/\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '_')
    .replace(/^\.{1,2}$/, '_');
  return shorten(safe === '' ? '_' : safe);
}

/** The same with a mark of the original, so that two different names never become one. */
export function markedFileName(name: string): string {
  return `${shorten(safeFileName(name), longestBytes - 17)}~${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

/** Gives each name a place of its own: `a.txt`, then `a~2.txt`. */
export function createNamer(reserved: Iterable<string> = []): (name: string) => string {
  // Without regard to case, for file systems that have none.
  const taken = new Set([...reserved].map((name) => name.toLowerCase()));
  return (name) => {
    const safe = safeFileName(name);
    const extension = extname(safe);
    const stem = safe.slice(0, safe.length - extension.length);
    let free = safe;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${stem}~${number}${extension}`;
    taken.add(free.toLowerCase());
    return free;
  };
}

/** Cuts between characters and keeps the extension. */
function shorten(name: string, bytes = longestBytes): string {
  if (Buffer.byteLength(name) <= bytes) return name;
  const extension = Buffer.byteLength(extname(name)) <= 20 ? extname(name) : '';
  let stem = '';
  let room = bytes - Buffer.byteLength(extension);
  for (const character of name) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    stem += character;
  }
  return stem + extension;
}
