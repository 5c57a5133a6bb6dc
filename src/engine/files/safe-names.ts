import { createHash } from 'node:crypto';

/*
 * Untrusted names (of requests, archives, programs) as file names. A safe name works on any system: it stays in its
 * directory, is not hidden, not reserved by Windows, in NFC, without invisible characters, and not too long.
 */

/** In bytes. File systems allow 255, and a suffix may be added. */
const longest = 200;
/** Room for the number of a copy. */
const longestNumbered = longest - 10;
const mostParts = 8;
/** Control, format and unassigned characters, line separators, and what Windows doesn't allow. */
const unsafe = /[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu;
const reservedByWindows = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d¹²³])\s*(\.|$)/i;

/** A safe name for one file: `a/b.txt` becomes `a_b.txt`. A safe name stays unchanged. */
export function safeFileName(name: string): string {
  const cleaned = name.toWellFormed().normalize('NFC').replaceAll(unsafe, '_');
  // Windows drops dots and spaces at the end.
  const trimmed = cleaned.replace(/(?<![\s.])[\s.]+$/, '').trimStart();
  const visible = trimmed.replace(/^\.+/, '_');
  const short = shortened(visible).replace(/(?<![\s.])[\s.]+$/, '');
  return reservedByWindows.test(short) ? `_${short}` : short || '_';
}

/** A safe path below any directory: `../../etc/passwd` becomes `etc/passwd`, `C:\x` becomes `C_/x`. */
export function safePath(name: string): string {
  const parts = name.split(/[/\\]/).filter((part) => !['', '.', '..'].includes(part.trim()));
  return parts.slice(-mostParts).map(safeFileName).join('/') || '_';
}

/** A safe name with a mark of the original, so that two different names never become one. */
export function markedFileName(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 16);
  return `${safeFileName(name)}~${mark}`;
}

/**
 * Whether a path works unchanged on this system, if perhaps not on every one: relative, within its directory, printable. Hidden files
 * are allowed.
 */
export function isPlainPath(name: string): boolean {
  const parts = name.split('/');
  return parts.length <= mostParts && parts.every(isPlainPart);
}

function isPlainPart(part: string): boolean {
  return (
    !['', '.', '..'].includes(part) &&
    Buffer.byteLength(part) <= longest &&
    !/[\p{C}\p{Zl}\p{Zp}\\]/u.test(part)
  );
}

/**
 * Makes each path unique: `a.txt`, then `a~2.txt`. A file never takes the place of a folder, or the other way round. By
 * default `A.txt` counts as `a.txt`, as on some systems.
 */
export function createDistinctPaths({
  reserved = [],
  ignoreCase = true,
}: {
  reserved?: Iterable<string>;
  ignoreCase?: boolean;
} = {}): (path: string) => string {
  const keyOf = (path: string) => (ignoreCase ? path.toLowerCase() : path);
  const files = new Set([...reserved].map(keyOf));
  const folders = new Set<string>();
  /** The next number of each path, so that its thousandth copy needn't count from the start. */
  const copies = new Map<string, number>();
  return (wanted) => {
    const isBelowFile = foldersOf(wanted).some((folder) => files.has(keyOf(folder)));
    const path = isBelowFile ? safeFileName(wanted) : wanted;
    let number = copies.get(keyOf(path)) ?? 1;
    let free = path;
    while (files.has(keyOf(free)) || folders.has(keyOf(free))) free = numbered(path, ++number);
    copies.set(keyOf(path), number);
    files.add(keyOf(free));
    for (const folder of foldersOf(free)) folders.add(keyOf(folder));
    return free;
  };
}

/**
 * Makes each name unique, so that their safe names can be files of one directory on any system: `scan.png`, then
 * `scan~2.png`. Names that differ only in case, in Unicode normalisation or in unsafe characters count as one.
 */
export function createDistinctNames(): (name: string) => string {
  const taken = new Set<string>();
  /** The next number of each name, so that its thousandth copy needn't count from the start. */
  const copies = new Map<string, number>();
  return (wanted) => {
    const key = fileKey(wanted);
    let number = copies.get(key) ?? 1;
    let free = wanted;
    while (taken.has(fileKey(free))) free = numbered(shortened(wanted, longestNumbered), ++number);
    copies.set(key, number);
    taken.add(fileKey(free));
    return free;
  };
}

/** Equal for names that would be the same file on some system. */
export function fileKey(name: string): string {
  return safeFileName(name).toLowerCase();
}

/** A place for each name in one of our directories: under its own name if possible, else under a safe one. */
export function placeNames(names: readonly string[]): Map<string, string> {
  const distinct = createDistinctPaths({ ignoreCase: false });
  const [plain, others] = [names.filter(isPlainPath), names.filter((name) => !isPlainPath(name))];
  const places = new Map([
    ...plain.map((name) => [name, distinct(name)] as const),
    ...others.map((name) => [name, distinct(safePath(name))] as const),
  ]);
  // In the order of the names.
  return new Map(names.map((name) => [name, places.get(name) ?? name]));
}

function foldersOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

function numbered(path: string, number: number): string {
  return path.replace(/(\.[^./]*)?$/, (ending) => `~${number}${ending}`);
}

/** Cuts between characters and keeps the extension: `.txt`, `.page.xml`. */
function shortened(name: string, most = longest): string {
  if (Buffer.byteLength(name) <= most) return name;
  const [ending = ''] = /(\.[\p{L}\p{N}]{1,10}){1,2}$/u.exec(name) ?? [];
  let room = most - Buffer.byteLength(ending);
  let start = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    start += character;
  }
  return start + ending;
}
