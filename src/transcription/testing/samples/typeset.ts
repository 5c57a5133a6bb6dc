import type { Random } from '../../../engine/ground/identity.ts';
import { czechHeading, czechSentence } from './czech-text.ts';
import type { Font } from './fonts.ts';

export interface TypesetOptions {
  font: Font;
  random: Random;
  /** Width of the page in pixels. */
  width: number;
  height: number;
  /** In pixels. */
  fontSize: number;
  margin: number;
  columns: number;
  heading: boolean;
  /** Adds a short note in the margin, as chroniclers did. */
  marginalia: boolean;
}

export interface Typeset {
  /** SVG path data with all letters. */
  outline: string;
  /** The true text: line by line, with an empty line between paragraphs. */
  truth: string;
}

/** Sets Czech text on a page: a heading across all columns, then the columns from left to right. */
export function typeset(options: TypesetOptions): Typeset {
  const { font, random, width, height, fontSize, margin, columns } = options;
  const leading = Math.round(fontSize * 1.4);
  const gutter = Math.round(fontSize * 2.2);
  const noteWidth = options.marginalia ? Math.round(width * 0.16) : 0;
  const left = margin + (noteWidth > 0 ? noteWidth + gutter : 0);
  const columnWidth = Math.floor((width - left - margin - gutter * (columns - 1)) / columns);
  const outlines: string[] = [];
  const blocks: string[] = [];
  let top = margin + fontSize;

  if (options.heading) {
    const size = fontSize * 1.6;
    const text = czechHeading(random);
    outlines.push(font.outline(text, (width - font.width(text, size)) / 2, top + size * 0.5, size));
    blocks.push(text);
    top += Math.round(size * 2.2);
  }
  if (noteWidth > 0) {
    const size = fontSize * 0.8;
    const note = breakLines(czechSentence(random), font, size, noteWidth);
    note.forEach((line, index) => {
      outlines.push(font.outline(line, margin, top + leading * (2 + index), size));
    });
    // A margin note comes before the text next to it, because columns are read from the left.
    blocks.unshift(note.join('\n'));
  }
  for (let column = 0; column < columns; column++) {
    const x = left + column * (columnWidth + gutter);
    let y = top;
    while (y < height - margin - 3 * leading) {
      const room = Math.floor((height - margin - y) / leading);
      const sentences = Array.from({ length: 3 + Math.floor(random() * 3) }, () => czechSentence(random));
      const lines = breakLines(sentences.join(' '), font, fontSize, columnWidth).slice(0, room);
      for (const [index, line] of lines.entries()) {
        outlines.push(
          justified(line, { ...options, x, y, width: columnWidth, last: index === lines.length - 1 }),
        );
        y += leading;
      }
      blocks.push(lines.join('\n'));
      y += Math.round(leading * 0.7);
    }
  }
  return { outline: outlines.join(''), truth: `${blocks.join('\n\n')}\n` };
}

function breakLines(text: string, font: Font, size: number, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && font.width(longer, size) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, line];
}

function justified(
  line: string,
  at: { font: Font; fontSize: number; x: number; y: number; width: number; last: boolean },
): string {
  const words = line.split(' ');
  const widths = words.map((word) => at.font.width(word, at.fontSize));
  const space = at.font.width(' ', at.fontSize);
  const free = at.width - widths.reduce((sum, one) => sum + one, 0);
  const gap = at.last || words.length < 2 ? space : free / (words.length - 1);
  let x = at.x;
  return words
    .map((word, index) => {
      const outline = at.font.outline(word, x, at.y, at.fontSize);
      x += (widths[index] ?? 0) + gap;
      return outline;
    })
    .join('');
}
