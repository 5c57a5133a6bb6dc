import { makeZip as makeAnyZip } from '../../../../formats/zip/testing/make-zip.ts';

/** A ZIP of these parts. */
export function makeZip(parts: Readonly<Record<string, string>>): Buffer {
  return makeAnyZip(Object.entries(parts).map(([name, content]) => ({ name, content })));
}

/** A Word 97 document with this text in two pieces, the first in one byte a character. */
export function makeDoc(narrow: string, wide: string): Buffer {
  const document = Buffer.alloc(4096);
  document.writeUInt16LE(0xa5ec, 0);
  document.writeUInt16LE(0x0200, 10);
  document.writeInt32LE(narrow.length + wide.length, 0x4c);
  document.write(narrow, 1024, 'latin1');
  document.write(wide, 2048, 'utf16le');
  const pieces = Buffer.alloc(4 * 3 + 8 * 2);
  pieces.writeUInt32LE(narrow.length, 4);
  pieces.writeUInt32LE(narrow.length + wide.length, 8);
  pieces.writeUInt32LE((2 * 1024) | 0x40000000, 12 + 2);
  pieces.writeUInt32LE(2048, 20 + 2);
  const table = Buffer.alloc(4096);
  table.writeUInt8(2, 0);
  table.writeUInt32LE(pieces.length, 1);
  pieces.copy(table, 5);
  document.writeUInt32LE(5 + pieces.length, 0x1a6);

  return makeCompound([
    ['WordDocument', document],
    ['1Table', table],
  ]);
}

/** A Word 95 document with this text, written with a font of this charset. */
export function makeOldDoc(text: Buffer, charset: number): Buffer {
  const document = Buffer.alloc(4096);
  document.writeUInt16LE(0xa5dc, 0);
  document.writeUInt32LE(1024, 0x18);
  document.writeInt32LE(text.length, 0x34);
  text.copy(document, 1024);
  const fonts = Buffer.from([18, 0, 15, 0, 0, 0, charset, 0, ...Buffer.from('Arial CE\0\0')]);
  fonts.copy(document, 3000);
  document.writeUInt32LE(3000, 0xd0);
  document.writeUInt32LE(fonts.length, 0xd4);
  return makeCompound([['WORDDOCUMENT', document]]);
}

/** Streams of 4,096 bytes; the directory also names a part of an embedded document as the last. */
export function makeCompound(streams: [name: string, content: Buffer][]): Buffer {
  const header = Buffer.alloc(512, 0xff);
  Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]).copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(1, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(0, 76);
  // Sector 0 is the allocation table, 1 the directory, 2-9 the first stream, 10-17 the second.
  const chains = Buffer.alloc(512, 0xff);
  chains.writeUInt32LE(0xfffffffe, 4);
  for (let sector = 2; sector < 2 + 8 * streams.length; sector += 1)
    chains.writeUInt32LE(sector % 8 === 1 ? 0xfffffffe : sector + 1, 4 * sector);
  const directory = Buffer.alloc(512);
  const entry = (index: number, name: string, kind: number, start: number, length: number) => {
    const at = 128 * index;
    directory.write(name, at, 'utf16le');
    directory.writeUInt16LE(2 * name.length + 2, at + 64);
    directory.writeUInt8(kind, at + 66);
    directory.fill(0xff, at + 68, at + 80);
    directory.writeUInt32LE(start, at + 116);
    directory.writeUInt32LE(length, at + 120);
  };
  entry(0, 'Root Entry', 5, 0xfffffffe, 0);
  directory.writeUInt32LE(1, 76);
  for (const [index, [name]] of streams.entries()) {
    entry(index + 1, name, 2, 2 + 8 * index, 4096);
    if (index + 1 < streams.length) directory.writeUInt32LE(index + 2, 128 * (index + 1) + 72);
  }
  entry(streams.length + 1, 'WordDocument', 2, 1, 4096);
  return Buffer.concat([header, chains, directory, ...streams.map(([, content]) => content)]);
}

/** A PDF with one line of text, a link and a title. */
export function makePdf(line: string, link: string): Buffer {
  const content = `BT /F1 12 Tf 72 700 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [6 0 R] >>`,
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Type /Annot /Subtype /Link /Rect [0 0 10 10] /A << /S /URI /URI (${link.replaceAll(/[()]/g, '\\$&')}) >> >>`,
    "<< /Title (Kronika & obec) /Author (Jan) /CreationDate (D:20240505100000+02'00') >>",
  ];
  let source = '%PDF-1.4\n';
  const places = objects.map((object, index) => {
    const place = source.length;
    source += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return place;
  });
  const start = source.length;
  source += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`;
  for (const place of places) source += `${String(place).padStart(10, '0')} 00000 n \n`;
  source += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 7 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(source, 'latin1');
}
