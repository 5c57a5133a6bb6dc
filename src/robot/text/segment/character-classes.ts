/** What a UTF-16 unit is, for the loops over text. A table instead of regular expressions, which took three times as long. */
export const isOther = 0;
export const isWordUnit = 1;
export const isSpace = 2;
/** Half of a character beyond 16 bits: only a regular expression knows what the whole is. */
export const isHalf = 3;
const unknown = 255;

const classes = new Uint8Array(0x10000).fill(unknown);

/** Letters, marks and numbers are units of words. */
export function classOf(unit: number): number {
  const known = classes[unit] as number;
  return known === unknown ? classify(unit) : known;
}

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  const found =
    unit >= 0xd800 && unit < 0xe000
      ? isHalf
      : /[\p{L}\p{M}\p{N}]/u.test(character)
        ? isWordUnit
        : /\s/.test(character)
          ? isSpace
          : isOther;
  classes[unit] = found;
  return found;
}
