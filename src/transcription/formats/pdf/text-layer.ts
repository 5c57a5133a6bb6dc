import type { Box, Line, Page } from '../../page/page.ts';
import { wordText } from '../../text/text.ts';
import { baselinePoints } from '../outline.ts';
import { advance, ascent, descent } from './glyphless-font.ts';
import type { InvisibleFont } from './invisible-font.ts';
import { pdfNumber } from './pdf-objects.ts';

/** The words of a page as drawing operators, each stretched over its box; `3 Tr` makes them invisible. */
export function textLayer(
  page: Page,
  scale: number,
  font: Pick<InvisibleFont, 'encode'>,
  fontName = 'Text',
): string {
  const lines = page.regions.flatMap((region) => region.paragraphs).flatMap((paragraph) => paragraph.lines);
  const drawn = lines
    .map((line) => lineLayer(line, page, scale, { font, name: fontName }))
    .filter((text) => text !== '');
  return drawn.length === 0 ? '' : `BT 3 Tr\n${drawn.join('\n')}\nET\n`;
}

function lineLayer(
  line: Line,
  page: Page,
  scale: number,
  { font, name }: { font: Pick<InvisibleFont, 'encode'>; name: string },
): string {
  const { slope, heightAt, size } = standing(line, page);
  const points = size * scale;
  const length = Math.hypot(1, slope);
  // MuPDF leaves out text whose empty glyphs together cover no area, such as a single line without slope.
  const tilt = Math.abs(slope) < leastTilt ? leastTilt : slope;
  // In PDF, y points up.
  const turn = [1 / length, -tilt / length, tilt / length, 1 / length].map(pdfNumber).join(' ');
  const words = line.words.filter((word) => wordText(word.text) !== '');
  const drawn = words.map((word, index) => {
    const next = words[index + 1];
    const right = rightEdge(word.box, next?.box, size);
    const x = pdfNumber(word.box.left * scale);
    const y = pdfNumber((page.height - heightAt(word.box.left)) * scale);
    // A space as wide as the gap keeps words apart when copied.
    const space = next === undefined ? '' : stretched(' ', Math.max(1, next.box.left - right));
    return `${turn} ${x} ${y} Tm ${stretched(wordText(word.text), Math.max(1, right - word.box.left))}${space}`;
  });
  return drawn.length === 0 ? '' : `/${name} ${pdfNumber(points)} Tf ${drawn.join('\n')}`;

  function stretched(text: string, width: number): string {
    const { operand, length } = font.encode(text);
    const percent = (100 * width) / (length * (advance / 1000) * size);
    return `${pdfNumber(percent)} Tz ${operand} Tj `;
  }
}

const leastTilt = 0.0001;

/** Boxes may touch, but readers see a space only in a gap of more than a seventh of the letter size. */
function rightEdge(box: Box, next: Box | undefined, size: number): number {
  const right = box.left + box.width;
  if (next === undefined || next.left <= box.left) return right;
  return Math.max(box.left + box.width / 2, Math.min(right, next.left - 0.2 * size));
}

/** The baseline of a line and the height of its letters, in pixels; estimated from the box if there is no baseline. */
function standing(line: Line, page: Page) {
  const baseline = baselinePoints(line, page);
  const first = baseline?.[0];
  const last = baseline?.at(-1);
  const { top, height } = line.box;
  if (first === undefined || last === undefined || last.x <= first.x) {
    const size = Math.max(1, height);
    const y = top + (height * ascent) / (ascent - descent);
    return { slope: 0, heightAt: () => y, size };
  }
  const slope = (last.y - first.y) / (last.x - first.x);
  return {
    slope,
    heightAt: (x: number) => first.y + slope * (x - first.x),
    // The box of a sloping line is taller than its letters.
    size: Math.max(1, height - Math.abs(last.y - first.y)),
  };
}
