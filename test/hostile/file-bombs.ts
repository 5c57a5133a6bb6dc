import { deflateSync, gzipSync } from 'node:zlib';
import { makeZip } from '../../src/formats/zip/testing/make-zip.ts';
import { pdf } from './file-builders.ts';

/** A file that a converter should not read to its end. */
interface FileBomb {
  name: string;
  type: string;
  make(): Buffer;
}

const million = 1_000_000;
const filled = (part: string, length: number) => part.repeat(Math.ceil(length / part.length));
const zeros = () => Buffer.alloc(150 * million);

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const text = 'application/vnd.oasis.opendocument.text';

/** Files that grow, repeat themselves or never end when they are read; each has at most a few megabytes on the wire. */
export const fileBombs: readonly FileBomb[] = [
  {
    name: 'a DOCX that grows',
    type: word,
    make: () =>
      makeZip([{ name: 'word/document.xml', content: filled('<w:p><w:t>a</w:t></w:p>', 150 * million) }]),
  },
  {
    name: 'an ODT that grows',
    type: text,
    make: () =>
      makeZip([
        { name: 'content.xml', content: zeros() },
        { name: 'META-INF/manifest.xml', content: '' },
      ]),
  },
  {
    name: 'an EPUB that grows',
    type: 'application/epub+zip',
    make: () => makeZip([{ name: 'a.xhtml', content: zeros() }]),
  },
  {
    name: 'a ZIP that declares less than it has',
    type: 'application/zip',
    make: () => makeZip([{ name: 'word/document.xml', content: zeros(), declaredSize: 10 }]),
  },
  {
    name: 'a PDF that grows',
    type: 'application/pdf',
    make: () => pdfDrawing(Buffer.from(filled('BT /F 9 Tf (aaaaaaaa) Tj ET ', 100 * million))),
  },
  { name: 'a PDF that draws itself', type: 'application/pdf', make: nestedPdf },
  { name: 'a PDF of very many pages', type: 'application/pdf', make: longPdf },
  {
    name: 'a DOC with fields in fields',
    type: 'application/msword',
    make: () => docOf(filled('\x13\x14', million) + filled('a', million)),
  },
  { name: 'a DOC whose tables go round', type: 'application/msword', make: circularDoc },
  {
    name: 'an RTF of groups',
    type: 'application/rtf',
    make: () => Buffer.from(filled('{\\rtf1 ', 4 * million)),
  },
  {
    name: 'an RTF of spaces',
    type: 'application/rtf',
    make: () => Buffer.from(`{\\rtf1 ${' '.repeat(4 * million)}x}`),
  },
  {
    name: 'a text of dots',
    type: 'text/plain',
    make: () => Buffer.from(`http://a.cz${'.'.repeat(2 * million)}x`),
  },
  { name: 'gzip in gzip', type: 'application/x-gzip', make: () => gzipSync(gzipSync(zeros())) },
  {
    name: 'a sitemap without ends',
    type: 'application/xml',
    make: () => Buffer.from(`<urlset>${filled('<url><loc>http://a.cz/', 4 * million)}`),
  },
  {
    name: 'a mailbox of nothing',
    type: 'application/mbox',
    make: () => Buffer.from(`From a\na: b\n\n${filled('\nFrom a\n', 3 * million)}`),
  },
  {
    name: 'a mailbox of parts',
    type: 'application/mbox',
    make: () =>
      Buffer.from(`From a\nContent-Type: multipart/mixed; boundary=-\n\n${filled('---\n\n', 3 * million)}`),
  },
];

const page = '/Type /Page /Parent 2 0 R /MediaBox [0 0 600 800]';

function pdfDrawing(drawn: Buffer): Buffer {
  const packed = deflateSync(drawn, { level: 1 });
  return Buffer.from(
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< ${page} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
      [`<< /Filter /FlateDecode /Length ${packed.length} >>`, packed],
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]),
  );
}

/** Each form draws the next one ten times: a billion letters. */
function nestedPdf(): Buffer {
  const depth = 9;
  const forms = Array.from({ length: depth }, (_, level): [string, Buffer] => {
    const drawn = level + 1 < depth ? '/N Do '.repeat(10) : 'BT /F 9 Tf (a) Tj ET';
    const next = level + 1 < depth ? `/XObject << /N ${6 + level} 0 R >>` : '/Font << /F 4 0 R >>';
    return [
      `<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << ${next} >> /Length ${drawn.length} >>`,
      Buffer.from(drawn),
    ];
  });
  return Buffer.from(
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< ${page} /Contents ${5 + depth} 0 R /Resources << /XObject << /N 5 0 R >> >> >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...forms,
      ['<< /Length 5 >>', Buffer.from('/N Do')],
    ]),
  );
}

/** One page stands in the list of pages a hundred thousand times. */
function longPdf(): Buffer {
  const count = 100_000;
  return Buffer.from(
    pdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${count} >>`,
      `<< ${page} /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>`,
      ['<< /Length 30 >>', Buffer.from('BT /F 9 Tf (aaaaaaaaa) Tj ET  ')],
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]),
  );
}

const sector = 512;
const endOfChain = 0xfffffffe;

/** A Word 95 document with this text, in a container with one stream. */
function docOf(written: string): Buffer {
  const document = Buffer.concat([Buffer.alloc(1024), Buffer.from(written, 'latin1'), Buffer.alloc(4096)]);
  document.writeUInt16LE(0xa5dc, 0);
  document.writeUInt32LE(1024, 0x18);
  document.writeInt32LE(written.length, 0x34);
  const sectors = Math.ceil(document.length / sector);
  let tables = 1;
  while (128 * tables < tables + 1 + sectors) tables += 1;
  const header = headerOf();
  const chains = Buffer.alloc(sector * tables, 0xff);
  for (let table = 0; table < tables; table += 1) header.writeUInt32LE(table, 76 + 4 * table);
  // The tables, then the directory, then the stream.
  chains.writeUInt32LE(endOfChain, 4 * tables);
  for (let at = 0; at < sectors; at += 1)
    chains.writeUInt32LE(at + 1 < sectors ? tables + 2 + at : endOfChain, 4 * (tables + 1 + at));
  header.writeUInt32LE(tables, 48);
  const directory = Buffer.alloc(sector);
  const entries = [
    { name: 'Root Entry', start: endOfChain, size: 0 },
    { name: 'WordDocument', start: tables + 1, size: document.length },
  ];
  for (const [index, { name, start, size }] of entries.entries()) {
    const at = 128 * index;
    directory.write(name, at, 'utf16le');
    directory.writeUInt16LE(2 * name.length + 2, at + 64);
    directory.fill(0xff, at + 68, at + 80);
    directory.writeUInt32LE(start, at + 116);
    directory.writeUInt32LE(size, at + 120);
  }
  directory.writeUInt32LE(1, 76);
  const padding = Buffer.alloc(sectors * sector - document.length);
  return Buffer.concat([header, chains, directory, document, padding]);
}

/** The list of allocation tables leads back to itself. */
function circularDoc(): Buffer {
  const header = headerOf();
  header.writeUInt32LE(0, 68);
  return Buffer.concat([header, Buffer.alloc(4 * million)]);
}

function headerOf(): Buffer {
  const header = Buffer.alloc(sector, 0xff);
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(4096, 56);
  return header;
}
