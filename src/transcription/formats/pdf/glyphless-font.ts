/**
 * A TrueType font with two empty glyphs: its text takes space and can be searched and copied, but is invisible. Built here
 * because it is so small. It has the tables that the PDF standard requires of an embedded font.
 */
export function glyphlessFont(): Buffer {
  const tables: [tag: string, content: Buffer][] = [
    ['glyf', Buffer.alloc(4)],
    ['head', head()],
    ['hhea', shorts([1, 0, ascent, descent, 0, advance, 0, 0, advance, 1, 0, 0, 0, 0, 0, 0, 0, glyphs])],
    ['hmtx', shorts([advance, 0, advance, 0])],
    ['loca', shorts([0, 0, 0])],
    ['maxp', shorts([1, 0, glyphs, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])],
  ];
  const header = shorts([1, 0, tables.length, 64, 2, tables.length * 16 - 64]);
  const directory: Buffer[] = [];
  const contents: Buffer[] = [];
  let offset = header.length + tables.length * 16;
  for (const [tag, content] of tables) {
    const entry = Buffer.alloc(16);
    entry.write(tag, 'latin1');
    entry.writeUInt32BE(checksum(content), 4);
    entry.writeUInt32BE(offset, 8);
    entry.writeUInt32BE(content.length, 12);
    const padded = Buffer.concat([content, Buffer.alloc(-content.length & 3)]);
    directory.push(entry);
    contents.push(padded);
    offset += padded.length;
  }
  const font = Buffer.concat([header, ...directory, ...contents]);
  // This field makes the checksum of the whole file come out right.
  font.writeUInt32BE((0xb1b0afba - checksum(font)) >>> 0, font.indexOf(magic) - 4);
  return font;
}

/** In thousandths of the font size. Ascent plus descent equals the size, so a line's height is its font size. */
export const advance = 500;
export const ascent = 800;
export const descent = -200;
const glyphs = 2;
const magic = Buffer.from('5f0f3cf5', 'hex');

function head(): Buffer {
  const flagsToBox = shorts([0, 1000, ...new Array<number>(8).fill(0), 0, descent, advance, ascent]);
  // Version, revision, checksum of the file, magic; then flags to bounding box; then style, sizes and formats.
  return Buffer.concat([shorts([1, 0, 1, 0, 0, 0]), magic, flagsToBox, shorts([0, 8, 2, 0, 0])]);
}

function shorts(values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value & 0xffff, index * 2);
  return buffer;
}

function checksum(content: Buffer): number {
  let sum = 0;
  for (let at = 0; at < content.length; at += 1) sum += (content[at] ?? 0) * 2 ** (8 * (3 - (at & 3)));
  return sum % 2 ** 32;
}
