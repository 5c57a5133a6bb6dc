import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Font as Face, Glyph } from 'opentype.js';

/** The typefaces of the samples, from font packages, so pages look the same on every machine. */
export const fontNames = ['serif', 'garamond', 'typewriter', 'worn-typewriter', 'fraktur'] as const;
export type FontName = (typeof fontNames)[number];

const packages: Record<FontName, string> = {
  serif: 'old-standard-tt',
  garamond: 'eb-garamond',
  typewriter: 'courier-prime',
  'worn-typewriter': 'special-elite',
  // Blackletter with Czech letters, which revivals of true Fraktur lack.
  fraktur: 'grenze-gotisch',
};

export interface Font {
  /** In pixels, at a size in pixels. */
  width(text: string, size: number): number;
  /** Data of an SVG path; `y` is the baseline. */
  outline(text: string, x: number, y: number, size: number): string;
}

export async function loadFont(name: FontName): Promise<Font> {
  const { default: opentype } = await import('opentype.js');
  const resolve = createRequire(import.meta.url).resolve;
  const faces = ['latin', 'latin-ext'].map((subset): Face => {
    const name_ = packages[name];
    const bytes = readFileSync(resolve(`@fontsource/${name_}/files/${name_}-${subset}-400-normal.woff`));
    return opentype.parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  });
  // The packages split a typeface into two files; take each letter from the file that has it.
  const glyphs = new Map<string, { glyph: Glyph; em: number }>();
  const find = (letter: string) => {
    const known = glyphs.get(letter);
    if (known) return known;
    const face = faces.find((candidate) => candidate.charToGlyphIndex(letter) > 0);
    if (!face) throw new Error(`the font ${name} has no letter ${letter}`);
    const found = { glyph: face.charToGlyph(letter), em: face.unitsPerEm };
    glyphs.set(letter, found);
    return found;
  };
  const advance = (letter: string, size: number) => {
    const { glyph, em } = find(letter);
    return ((glyph.advanceWidth ?? 0) / em) * size;
  };
  return {
    width: (text, size) => [...text].reduce((sum, letter) => sum + advance(letter, size), 0),
    outline(text, x, y, size) {
      let at = x;
      return [...text]
        .map((letter) => {
          const { glyph, em } = find(letter);
          const data = outlineOf(glyph, at, y, size / em);
          at += advance(letter, size);
          return data;
        })
        .join('');
    },
  };
}

/** The library's own path data loses letters for some numbers, so we write it from the commands. In fonts, y points up. */
function outlineOf(glyph: Glyph, x: number, y: number, scale: number): string {
  const point = (px = 0, py = 0) => `${(x + px * scale).toFixed(1)} ${(y - py * scale).toFixed(1)} `;
  return glyph.path.commands
    .map((command) => {
      switch (command.type) {
        case 'C':
          return `C${point(command.x1, command.y1)}${point(command.x2, command.y2)}${point(command.x, command.y)}`;
        case 'Q':
          return `Q${point(command.x1, command.y1)}${point(command.x, command.y)}`;
        case 'Z':
          return 'Z';
        default:
          return `${command.type}${point(command.x, command.y)}`;
      }
    })
    .join('');
}
