import { loadSharp } from '../../image/load-sharp.ts';
import type { PdfImage } from './pdf-image.ts';

const tags = { width: 256, height: 257, compression: 259, meaning: 262, start: 273, length: 279 } as const;

/** A black-and-white image as CCITT group 4, a quarter to a half of its size as PNG; undefined if that is not possible. */
export async function faxImage(bytes: Uint8Array): Promise<PdfImage | undefined> {
  const sharp = await loadSharp();
  const { autoOrient, hasAlpha } = await sharp(bytes).metadata();
  if (hasAlpha) return undefined;
  // All rows are one strip: PDF can't put several together.
  const tileHeight = Math.ceil(autoOrient.height / 16) * 16;
  const tiff = await sharp(bytes)
    .autoOrient()
    .toColourspace('b-w')
    .tiff({ compression: 'ccittfax4', bitdepth: 1, tileHeight, tileWidth: 16 })
    .toBuffer();
  return fromTiff(tiff);
}

/** The only strip of the library's own TIFF. */
function fromTiff(tiff: Buffer): PdfImage | undefined {
  if (tiff.toString('latin1', 0, 2) !== 'II') return undefined;
  const directory = tiff.readUInt32LE(4);
  const values = new Map<number, { value: number; count: number }>();
  for (let index = 0; index < tiff.readUInt16LE(directory); index++) {
    const at = directory + 2 + index * 12;
    const isShort = tiff.readUInt16LE(at + 2) === 3;
    const value = isShort ? tiff.readUInt16LE(at + 8) : tiff.readUInt32LE(at + 8);
    values.set(tiff.readUInt16LE(at), { value, count: tiff.readUInt32LE(at + 4) });
  }
  const { value: start = 0, count = 0 } = values.get(tags.start) ?? {};
  if (count !== 1 || values.get(tags.compression)?.value !== 4) return undefined;
  const of = (tag: number) => values.get(tag)?.value ?? 0;
  const [width, height] = [of(tags.width), of(tags.height)];
  // Meaning 1: what the fax calls black is white.
  const parameters = `/K -1 /Columns ${width} /Rows ${height} /BlackIs1 ${of(tags.meaning) === 1}`;
  return {
    entries: `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /CCITTFaxDecode /DecodeParms << ${parameters} >>`,
    content: tiff.subarray(start, start + of(tags.length)),
  };
}
