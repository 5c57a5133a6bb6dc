/**
 * Rows of the edit distance table, 32 cells at a time, after Myers (1999), with Hyyrö's extension to long patterns. Two bits per
 * cell tell whether the cell below is one more or one less.
 */
export interface DistanceRows {
  /** Distance of the whole pattern to each prefix of the text: `last[j]` for its first j symbols. */
  last: Int32Array;
  /** With `keep`: bits of all columns, `columns * blocks + block`; bit i compares cell i + 1 with cell i. */
  more: Int32Array;
  less: Int32Array;
  blocks: number;
}

export function distanceRows(pattern: Uint32Array, text: Uint32Array, keep: boolean): DistanceRows {
  const blocks = Math.max(1, Math.ceil(pattern.length / 32));
  const matches = matchesOf(pattern, blocks);
  const none = new Int32Array(blocks);
  const lastBit = (pattern.length - 1) & 31;
  const last = new Int32Array(text.length + 1);
  const more = new Int32Array(keep ? blocks * (text.length + 1) : blocks).fill(-1, 0, blocks);
  const less = new Int32Array(more.length);
  last[0] = pattern.length;
  for (let column = 1; column <= text.length; column += 1) {
    const equals = matches.get(text[column - 1] ?? 0) ?? none;
    const before = keep ? (column - 1) * blocks : 0;
    const now = keep ? column * blocks : 0;
    // The first row counts up: prefixes of the text against an empty pattern.
    let carry = 1;
    for (let block = 0; block < blocks; block += 1) {
      let equal = equals[block] ?? 0;
      const plus = more[before + block] ?? 0;
      const minus = less[before + block] ?? 0;
      const vertical = equal | minus;
      if (carry < 0) equal |= 1;
      const horizontal = ((((equal & plus) + plus) | 0) ^ plus) | equal;
      let up = minus | ~(horizontal | plus);
      let down = plus & horizontal;
      const bit = block === blocks - 1 ? lastBit : 31;
      const next = ((up >>> bit) & 1) - ((down >>> bit) & 1);
      up <<= 1;
      down <<= 1;
      if (carry > 0) up |= 1;
      else if (carry < 0) down |= 1;
      more[now + block] = down | ~(vertical | up);
      less[now + block] = up & vertical;
      carry = next;
    }
    last[column] = (last[column - 1] ?? 0) + carry;
  }
  if (pattern.length === 0) for (let column = 0; column <= text.length; column += 1) last[column] = column;
  return { last, more, less, blocks };
}

/** For each symbol, its positions in the pattern. */
function matchesOf(pattern: Uint32Array, blocks: number): Map<number, Int32Array> {
  const matches = new Map<number, Int32Array>();
  for (const [index, symbol] of pattern.entries()) {
    let bits = matches.get(symbol);
    if (bits === undefined) {
      bits = new Int32Array(blocks);
      matches.set(symbol, bits);
    }
    bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
  }
  return matches;
}
