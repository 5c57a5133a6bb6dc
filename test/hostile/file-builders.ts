import { crc32 } from 'node:zlib';

/** A PDF with one page that shows a JPEG. */
export function pdfOf(jpeg: Uint8Array, width: number, height: number): Uint8Array {
  const draw = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`;
  const size = `/Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8`;
  const picture = `<< /Type /XObject /Subtype /Image ${size.replace('Gray', 'RGB')} /Filter /DCTDecode /Length ${jpeg.length} >>`;
  return pdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`,
    [`<< /Length ${draw.length} >>`, Buffer.from(draw)],
    [picture, jpeg],
  ]);
}

/** Puts objects together to a PDF; an object with bytes is a stream. */
export function pdf(objects: readonly (string | readonly [string, Uint8Array])[]): Uint8Array {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part as string);
    parts.push(bytes);
    length += bytes.length;
  };
  objects.forEach((object, index) => {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    if (typeof object === 'string') add(object);
    else {
      add(`${object[0]}\nstream\n`);
      add(object[1] as unknown as string);
      add('\nendstream');
    }
    add('\nendobj\n');
  });
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`);
  add(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`);
  return Buffer.concat(parts);
}

/** A ZIP whose entries are stored as they are. Sizes in the headers may lie. */
export function storedZip(
  entries: readonly (readonly [string, Uint8Array])[],
  lies: { size?: number; method?: number } = {},
): Uint8Array {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of entries) {
    const bytes = Buffer.from(name);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(0x800, 2);
    fixed.writeUInt16LE(lies.method ?? 0, 4);
    fixed.writeUInt32LE(crc32(content), 10);
    fixed.writeUInt32LE(content.length, 14);
    fixed.writeUInt32LE(lies.size ?? content.length, 18);
    fixed.writeUInt16LE(bytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fixed, bytes, content]);
    const central = Buffer.alloc(46);
    central.write('PK\u0001\u0002', 'latin1');
    central.writeUInt16LE(20, 4);
    fixed.copy(central, 6, 0, 24);
    central.writeUInt32LE(offset, 42);
    directory.push(central, bytes);
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, list, end]);
}

/** A field of a TIFF's directory: its value, or where its values are. */
export type TiffTag = readonly [tag: number, type: number, count: number, value: number];

/** A TIFF with as many pages, each with these tags, in a chain; with `loops`, the last one leads back to the first. Byte 8 may be a pixel. */
export function tiff(tags: readonly TiffTag[], { pages = 1, loops = false } = {}): Uint8Array {
  const start = 16;
  const size = 2 + 12 * tags.length + 4;
  const file = Buffer.alloc(start + size * pages);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(start, 4);
  for (let page = 0; page < pages; page++) {
    const at = start + size * page;
    file.writeUInt16LE(tags.length, at);
    for (const [index, [tag, type, count, value]] of tags.entries()) {
      const field = at + 2 + 12 * index;
      file.writeUInt16LE(tag, field);
      file.writeUInt16LE(type, field + 2);
      file.writeUInt32LE(count, field + 4);
      file.writeUInt32LE(value, field + 8);
    }
    const last = loops ? start : 0;
    file.writeUInt32LE(page + 1 < pages ? at + size : last, at + size - 4);
  }
  return file;
}
