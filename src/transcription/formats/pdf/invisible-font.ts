import { advance, ascent, descent, glyphlessFont } from './glyphless-font.ts';
import type { PdfObjects } from './pdf-objects.ts';

/** Assigns a code to each new character. The meaning of the codes is written at the end, once all are known. */
export interface InvisibleFont {
  /** The string as a PDF operand, and its number of characters. */
  encode(text: string): { operand: string; length: number };
  /** Writes the objects of the font. The first gets the number that pages refer to. */
  write(objects: FontObjects, number: number): Iterable<Buffer>;
}

type FontObjects = Pick<PdfObjects, 'reserve' | 'dictionary' | 'deflated'>;

/** Codes have two bytes; code 0 means no character. */
const lastCode = 0xffff;

export function createInvisibleFont(): InvisibleFont {
  const codes = new Map<string, number>();
  const codeOf = (character: string): number => {
    const known = codes.get(character);
    if (known !== undefined) return known;
    const code = codes.size + 1;
    // No script has this many characters. The rest can't be copied, but everything else works.
    if (code > lastCode) return lastCode;
    codes.set(character, code);
    return code;
  };
  return {
    encode(text) {
      const all = Array.from(text, codeOf);
      return { operand: `<${all.map(hex).join('')}>`, length: all.length };
    },
    *write(objects, number) {
      const [descendant, descriptor] = [objects.reserve(), objects.reserve()];
      const [file, toGlyph, toUnicode] = [objects.reserve(), objects.reserve(), objects.reserve()];
      yield objects.dictionary(
        number,
        `/Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /Identity-H /DescendantFonts [${descendant} 0 R] /ToUnicode ${toUnicode} 0 R`,
      );
      yield objects.dictionary(
        descendant,
        `/Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW ${advance} /FontDescriptor ${descriptor} 0 R /CIDToGIDMap ${toGlyph} 0 R`,
      );
      yield objects.dictionary(
        descriptor,
        `/Type /FontDescriptor /FontName /${name} /Flags 5 /FontBBox [0 ${descent} ${advance} ${ascent}] /ItalicAngle 0 /Ascent ${ascent} /Descent ${descent} /CapHeight ${ascent} /StemV 80 /FontFile2 ${file} 0 R`,
      );
      const font = glyphlessFont();
      yield objects.deflated(file, `/Length1 ${font.length}`, font);
      yield objects.deflated(toGlyph, '', glyphOfCode(codes.size));
      yield objects.deflated(toUnicode, '', Buffer.from(unicodeMap(codes), 'latin1'));
    },
  };
}

const name = 'GlyphLessFont';

/** All codes map to the empty glyph 1, except 0, which maps to the undefined glyph. */
function glyphOfCode(count: number): Buffer {
  const map = Buffer.alloc((count + 1) * 2);
  for (let code = 1; code <= count; code += 1) map.writeUInt16BE(1, code * 2);
  return map;
}

function unicodeMap(codes: ReadonlyMap<string, number>): string {
  const lines = [...codes].map(([character, code]) => `<${hex(code)}> <${utf16(character)}>`);
  const sections: string[] = [];
  // The standard allows a hundred per section.
  for (let at = 0; at < lines.length; at += 100) {
    const section = lines.slice(at, at + 100);
    sections.push(`${section.length} beginbfchar\n${section.join('\n')}\nendbfchar`);
  }
  return [
    '/CIDInit /ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange',
    ...sections,
    'endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n',
  ].join('\n');
}

function utf16(character: string): string {
  return Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index))).join('');
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
