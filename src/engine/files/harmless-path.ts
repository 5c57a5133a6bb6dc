/**
 * A path that is safe to write below any directory on any system, from a name that may be hostile: `../../etc/passwd`
 * becomes `etc/passwd`, `C:\x` becomes `C_/x`.
 */
export function harmlessPath(name: string): string {
  const parts = name
    .toWellFormed()
    .normalize('NFC')
    .split(/[/\\]/)
    .map(harmlessName)
    .filter((part) => part !== '');
  return parts.join('/') || 'unnamed';
}

/** The same for one name; empty when nothing is left of it. */
function harmlessName(part: string): string {
  const clean = part.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069:*?"<>|]/gu, '_');
  // Windows drops dots and spaces at the end, and takes some names for devices.
  const trimmed = shortened(clean.trim()).replace(/[. ]+$/, '');
  return devices.test(trimmed) ? `_${trimmed}` : trimmed;
}

const devices = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;
/** Bytes; file systems allow 255, and something may be added to it. */
const longest = 200;

/** Cut in the middle, so that the ending stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= longest) return name;
  const characters = Array.from(name);
  const end = characters.slice(-10).join('');
  let start = '';
  for (const character of characters) {
    if (Buffer.byteLength(start + character) > longest - 40) break;
    start += character;
  }
  return `${start}…${end}`;
}

/** Gives each path once: the second `a.txt` becomes `a (2).txt`. Capitals make no difference, as on some systems. */
export function createFreePaths(): (path: string) => string {
  const taken = new Map<string, number>();
  return (path) => {
    let free = path;
    for (let number = taken.get(path.toLowerCase()) ?? 1; taken.has(free.toLowerCase()); ) {
      number += 1;
      taken.set(path.toLowerCase(), number);
      free = path.replace(/(\.[^./]*)?$/, (ending) => ` (${number})${ending}`);
    }
    taken.set(free.toLowerCase(), 1);
    return free;
  };
}
