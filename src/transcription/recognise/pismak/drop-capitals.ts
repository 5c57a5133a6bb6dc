import type { FoundLine } from '../../lines/find-lines.ts';
import type { Box, Line } from '../../page/page.ts';

/** Minimum height of a drop capital, relative to a line beside it. */
const leastHeight = 1.5;
/** In heights of a line. */
const widestGap = 1.2;
const mostAbove = 0.8;

/** A single letter, which may be a drop capital. */
export interface Capital {
  line: Line;
  /** Of the letter, without margins. */
  box: Box;
}

/** Undefined for more than one letter. Matches any case, because an isolated capital may be read as a small letter. */
export function asCapital(line: Line, { baseline, body }: FoundLine): Capital | undefined {
  const [word] = line.words;
  if (!word || line.words.length > 1 || !/^\p{L}$/u.test(word.text)) return undefined;
  const foot = baseline[0]?.y ?? 0;
  return { line, box: { ...word.box, top: foot - body, height: body } };
}

/**
 * Joins drop capitals to the first word of the line beside their top, if they span another line too. Changes these lines, and
 * returns the lines of capitals that were used.
 */
export function joinDropCapitals(capitals: readonly Capital[], lines: readonly Line[]): Set<Line> {
  const used = new Set<Line>();
  for (const { line, box } of capitals) {
    const beside = lines
      .filter((other) => other !== line && isBeside(box, other.box))
      .sort((one, other) => one.box.top - other.box.top);
    const [first] = beside;
    const [letter, word] = [line.words[0], first?.words[0]];
    if (!first || beside.length < 2 || !letter || !word) continue;
    if (Math.abs(first.box.top - box.top) > mostAbove * first.box.height) continue;
    word.text = letter.text.toUpperCase() + word.text;
    word.box = widened(word.box, box.left);
    if (word.confidence !== undefined) word.confidence *= letter.confidence ?? 1;
    // Keep its height, to match other lines of its block.
    first.box = widened(first.box, box.left);
    used.add(line);
  }
  return used;
}

function isBeside(capital: Box, { left, top, height }: Box): boolean {
  const gap = left - capital.left - capital.width;
  const middle = top + height / 2;
  const isHigher = capital.height >= leastHeight * height;
  const isNear = gap > -0.5 * height && gap < widestGap * height;
  return isHigher && isNear && middle > capital.top && middle < capital.top + capital.height;
}

function widened(box: Box, left: number): Box {
  return { ...box, left, width: box.left + box.width - left };
}
