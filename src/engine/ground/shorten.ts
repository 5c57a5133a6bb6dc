/**
 * Messages for people may repeat input of any size from a caller: they are cut at this many characters
 * before they leave the process or reach the log.
 */
export const longestMessage = 1000;

export function shorten(text: string, most = longestMessage): string {
  return text.length <= most ? text : `${text.slice(0, most)}... (${text.length} characters in all)`;
}

const deepest = 4;

/** A copy with long texts and lists cut. Values that are not plain data stay as they are. */
export function shortenValues(value: unknown, limits: { text: number; entries: number }, depth = 0): unknown {
  if (typeof value === 'string') return shorten(value, limits.text);
  if (!isPlain(value)) return value;
  if (depth >= deepest) return '...';
  const inner = (entry: unknown) => shortenValues(entry, limits, depth + 1);
  if (Array.isArray(value)) {
    const more = value.length - limits.entries;
    const shown = value.slice(0, limits.entries).map(inner);
    return more > 0 ? [...shown, `... ${more} more`] : shown;
  }
  const entries = Object.entries(value).slice(0, limits.entries);
  return Object.fromEntries(entries.map(([name, entry]) => [shorten(name, limits.text), inner(entry)]));
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}
