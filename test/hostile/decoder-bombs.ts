import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import { makeZip } from '../../src/formats/zip/testing/make-zip.ts';
import { pdf, storedZip, tiff } from './file-builders.ts';

/** Small files whose structure makes a decoder work, or follow it, without an end. */
export const decoderBombs: Readonly<Record<string, () => Uint8Array>> = {
  'stream-in-itself.pdf': objectStreamInItself,
  'streams-in-a-ring.pdf': objectStreamRing,
  'table-in-a-ring.pdf': tableRing,
  'filters.pdf': manyFilters,
  'picture.pdf': pictureBomb,
  'letters-in-letters.pdf': type3Ring,
  'scans.jpg': progressiveJpeg,
  'frames.gif': manyFrames,
  'directories.tif': manyDirectories,
  'profile.png': () => pngWith('iCCP', Buffer.concat([Buffer.from('a\0\0'), packedZeros(100)])),
  'note.png': () => pngWith('zTXt', Buffer.concat([Buffer.from('a\0\0'), packedZeros(100)])),
  'entries.epub': manyEntries,
  'same-bytes.odt': overlappingEntries,
  'books.epub': bookInBook,
  'links.docx': manyLinks,
  'binary.rtf': () => Buffer.from('{\\rtf1 \\bin2147483647 x}'.repeat(50_000)),
  'pictures.rtf': () =>
    Buffer.from(`{\\rtf1{\\pict\\pngblip ${'00'.repeat(2_000_000)}}${'{\\*\\x'.repeat(200_000)}`),
};

const page = '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]';
const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const pages = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';

const packedZeros = (megabytes: number) => deflateSync(Buffer.alloc(megabytes * 1_000_000));

/** A PDF whose table says that objects 1 to 3 are in the object stream 4, which is in itself. */
function objectStreamInItself(): Uint8Array {
  return withStreamTable(
    [
      {
        number: 4,
        head: '/Type /ObjStm /N 4 /First 20',
        body: `4 0 1 2 2 4 3 6 ${''.padEnd(8)}<<>> <<>> <<>>`,
      },
    ],
    [
      [2, 4, 0],
      [2, 4, 1],
      [2, 4, 2],
      [2, 4, 3],
    ],
  );
}

/** Two object streams, each of which extends and contains the other. */
function objectStreamRing(): Uint8Array {
  const stream = (other: number) => ({
    head: `/Type /ObjStm /N 1 /First 5 /Extends ${other} 0 R`,
    body: `${other} 0  <<>>`,
  });
  return withStreamTable(
    [
      { number: 4, ...stream(5) },
      { number: 5, ...stream(4) },
    ],
    [
      [2, 4, 0],
      [2, 5, 0],
      [2, 4, 0],
      [2, 5, 0],
      [2, 4, 0],
    ],
  );
}

type InStream = [type: number, stream: number, index: number];

function withStreamTable(
  streams: { number: number; head: string; body: string }[],
  entries: readonly InStream[],
): Uint8Array {
  let text = '%PDF-1.7\n';
  for (const { number, head, body } of streams)
    text += `${number} 0 obj\n<< ${head} /Length ${body.length} >>\nstream\n${body}\nendstream\nendobj\n`;
  const rows = Buffer.from([0, 0, 0, ...entries.flat()]).toString('latin1');
  const start = text.length;
  text += `9 0 obj\n<< /Type /XRef /Size ${entries.length + 1} /W [1 1 1] /Root 1 0 R /Prev ${start} /Length ${rows.length} >>\n`;
  text += `stream\n${rows}\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** Its cross-reference table is its own predecessor. */
function tableRing(): Uint8Array {
  const text = Buffer.from(pdf([catalog, pages, `<< ${page} >>`])).toString('latin1');
  const start = text.indexOf('xref\n');
  return Buffer.from(text.replace('/Root', `/Prev ${start} /XRefStm ${start} /Root`), 'latin1');
}

/** A content that was packed eight times, each time what was left a thousandth. */
function manyFilters(): Uint8Array {
  let content: Buffer = Buffer.alloc(200_000_000, '0 0 m 9 9 l S ');
  const filters = Array.from({ length: 4 }, () => {
    content = deflateSync(content);
    return '/FlateDecode';
  });
  return pdf([
    catalog,
    pages,
    `<< ${page} /Contents 4 0 R >>`,
    [`<< /Filter [${filters.join(' ')}] /Length ${content.length} >>`, content],
  ]);
}

/** A picture of 65,000 x 65,000 pixels of a fax without data, shown a thousand times. */
function pictureBomb(): Uint8Array {
  const drawn = Buffer.from('q 600 0 0 800 0 0 cm /I Do Q '.repeat(1000));
  const size = '/Width 65000 /Height 65000 /BitsPerComponent 1 /ColorSpace /DeviceGray';
  const fax = '/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 65000 /Rows 65000 >>';
  return pdf([
    catalog,
    pages,
    `<< ${page} /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`,
    [`<< /Length ${drawn.length} >>`, drawn],
    [`<< /Type /XObject /Subtype /Image ${size} ${fax} /Length 4 >>`, Buffer.from([0, 16, 1, 0])],
  ]);
}

/** A font whose letter is drawn with ten letters of the same font. */
function type3Ring(): Uint8Array {
  const drawn = Buffer.from('BT /F 9 Tf (aaaa) Tj ET');
  const letter = Buffer.from('9 0 d0 BT /F 1 Tf (aaaaaaaaaa) Tj ET');
  const fonts = '/Resources << /Font << /F 5 0 R >> >>';
  return pdf([
    catalog,
    pages,
    `<< ${page} /Contents 4 0 R ${fonts} >>`,
    [`<< /Length ${drawn.length} >>`, drawn],
    `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 6 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [9] ${fonts} >>`,
    [`<< /Length ${letter.length} >>`, letter],
  ]);
}

/** A progressive JPEG of 65,000 x 2,000 pixels with very many scans, each of which goes over the whole image. */
function progressiveJpeg(): Uint8Array {
  const segment = (marker: number, ...data: number[]) =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 255, ...data]);
  const table = Array.from({ length: 64 }, () => 1);
  const oneCode = [0, 1, ...Array.from({ length: 15 }, () => 0), 0];
  const scan = Buffer.concat([segment(0xda, 1, 1, 0, 1, 63, 0), Buffer.from([0])]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, 0, ...table),
    segment(0xc2, 8, 2000 >> 8, 2000 & 255, 65_000 >> 8, 65_000 & 255, 1, 1, 0x11, 0),
    segment(0xc4, ...oneCode.with(0, 0)),
    segment(0xc4, ...oneCode.with(0, 0x10)),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.from([0]),
    ...Array.from({ length: 50_000 }, () => scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}

/** 65,535 x 65,535 pixels, and a hundred thousand frames of one pixel. */
function manyFrames(): Uint8Array {
  const head = Buffer.from('GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff', 'latin1');
  const frame = Buffer.from(',\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0', 'latin1');
  return Buffer.concat([head, ...Array.from({ length: 100_000 }, () => frame), Buffer.from(';')]);
}

/** A hundred thousand pages of one pixel, in a chain. */
function manyDirectories(): Uint8Array {
  return tiff(
    [
      [256, 3, 1, 1],
      [257, 3, 1, 1],
      [258, 3, 1, 8],
      [259, 3, 1, 1],
      [262, 3, 1, 1],
      [273, 4, 1, 8],
      [279, 4, 1, 1],
    ],
    { pages: 100_000 },
  );
}

/** A picture of 9 x 9 pixels with such a chunk. */
function pngWith(type: string, data: Uint8Array): Uint8Array {
  const chunk = (name: string, content: Uint8Array) => {
    const body = Buffer.concat([Buffer.from(name), content]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0, 9, 0, 0, 0, 9, 8, 0, 0, 0, 0])),
    chunk(type, data),
    chunk('IDAT', deflateSync(Buffer.alloc(90))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Sixty thousand empty chapters. */
function manyEntries(): Uint8Array {
  const chapters = Array.from({ length: 60_000 }, (_, n) => [`${n}.xhtml`, new Uint8Array()] as const);
  return storedZip([['mimetype', Buffer.from('application/epub+zip')], ...chapters]);
}

/** Every entry of its list leads to the same packed bytes. */
function overlappingEntries(): Uint8Array {
  const packed = deflateRawSync(Buffer.alloc(20_000_000, '<text:p>a</text:p>'));
  const one = Buffer.from(storedZip([['content.xml', packed]], { method: 8, size: 20_000_000 }));
  const list = one.indexOf('PK\u0001\u0002', 0, 'latin1');
  const end = one.indexOf('PK\u0005\u0006', 0, 'latin1');
  const entry = one.subarray(list, end);
  const tail = Buffer.from(one.subarray(end));
  const count = 1000;
  tail.writeUInt16LE(count, 8);
  tail.writeUInt16LE(count, 10);
  tail.writeUInt32LE(entry.length * count, 12);
  return Buffer.concat([one.subarray(0, list), ...Array.from({ length: count }, () => entry), tail]);
}

function bookInBook(): Uint8Array {
  let book: Buffer = Buffer.from('<p>a</p>');
  for (let level = 0; level < 40; level++)
    book = makeZip([
      { name: 'mimetype', content: 'application/epub+zip' },
      { name: 'book.epub', content: book },
    ]);
  return book;
}

/** A hundred thousand parts that refer to each other. */
function manyLinks(): Uint8Array {
  const relations = Array.from(
    { length: 100_000 },
    (_, n) => `<Relationship Id="r${n}" Target="document.xml"/>`,
  ).join('');
  return makeZip([
    { name: 'word/document.xml', content: `<w:p>${'<w:hyperlink r:id="r1"><w:t>a</w:t>'.repeat(60_000)}` },
    { name: 'word/_rels/document.xml.rels', content: `<Relationships>${relations}</Relationships>` },
  ]);
}
