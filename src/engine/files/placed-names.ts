const mostParts = 8;
const mostBytes = 200;

/** Whether a file of a request may bear this name on disk: relative, within its directory, printable. */
export function isSafeName(name: string): boolean {
  const parts = name.split('/');
  return (
    parts.length <= mostParts &&
    parts.every(
      (part) =>
        part !== '' &&
        part !== '.' &&
        part !== '..' &&
        Buffer.byteLength(part) <= mostBytes &&
        // Control and other characters that nobody sees, unpaired surrogates, and the other system's separator.
        !/[\p{C}\\]/u.test(part),
    )
  );
}

/** Where each file goes: under its own name if it is safe and free, else as `unnamed-1`, `unnamed-2`... */
export function placeNames(names: readonly string[]): Map<string, string> {
  const placed = new Map<string, string>();
  const taken = new Set<string>();
  const folders = new Set<string>();
  for (const name of names) {
    let place = name;
    for (let number = 1; !isFree(place); number++) place = `unnamed-${number}`;
    taken.add(place);
    for (const folder of foldersOf(place)) folders.add(folder);
    placed.set(name, place);
  }
  return placed;

  function isFree(place: string): boolean {
    if (!isSafeName(place) || taken.has(place) || folders.has(place)) return false;
    return foldersOf(place).every((folder) => !taken.has(folder));
  }
}

function foldersOf(name: string): string[] {
  const parts = name.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
