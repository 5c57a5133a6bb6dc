import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { PismakError } from '../../../engine/ground/errors.ts';

/** Numbers the objects of a PDF, remembers their offsets, and writes the table of objects at the end. */
export interface PdfObjects {
  header(): Buffer;
  reserve(): number;
  dictionary(number: number, entries: string): Buffer;
  stream(number: number, entries: string, content: Uint8Array): Buffer;
  deflated(number: number, entries: string, content: Uint8Array): Buffer;
  trailer(root: number, info: number): Buffer;
}

export function createPdfObjects(): PdfObjects {
  /** The offset of object N + 1. */
  const offsets: number[] = [];
  let written = 0;
  /** Identifies the file: dictionaries say enough about it, and large streams would take time. */
  const identity = createHash('sha256');
  const emit = (buffer: Buffer): Buffer => {
    written += buffer.length;
    return buffer;
  };
  const begin = (number: number): string => {
    // The table of objects has ten digits for an offset.
    if (written > 9_999_999_999) {
      throw new PismakError(
        'too-large',
        'the PDF would be larger than 10 GB, the limit of the format; download the pages one by one',
      );
    }
    offsets[number - 1] = written;
    return `${number} 0 obj\n`;
  };
  const stream = (number: number, entries: string, bytes: Uint8Array): Buffer => {
    const dictionary = `${begin(number)}<< ${entries} /Length ${bytes.length} >>\nstream\n`;
    identity.update(dictionary);
    return emit(
      Buffer.concat([Buffer.from(dictionary, 'latin1'), bytes, Buffer.from('\nendstream\nendobj\n')]),
    );
  };
  return {
    // The second line tells programs that the file is not text.
    header: () => emit(Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')),
    reserve: () => offsets.push(0),
    dictionary(number, entries) {
      const object = `${begin(number)}<< ${entries} >>\nendobj\n`;
      identity.update(object);
      return emit(Buffer.from(object, 'latin1'));
    },
    stream,
    deflated: (number, entries, content) =>
      stream(number, `${entries} /Filter /FlateDecode`.trim(), deflateSync(content)),
    trailer(root, info) {
      const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
      const id = identity.digest('hex').slice(0, 32);
      return emit(
        Buffer.from(
          `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows.join('')}` +
            `trailer\n<< /Size ${offsets.length + 1} /Root ${root} 0 R /Info ${info} 0 R /ID [<${id}> <${id}>] >>\n` +
            `startxref\n${written}\n%%EOF\n`,
          'latin1',
        ),
      );
    },
  };
}

/** Text in any language as a PDF string. */
export function pdfText(text: string): string {
  const bytes = Buffer.from(`\ufeff${text.toWellFormed()}`, 'utf16le').swap16();
  return `<${bytes.toString('hex')}>`;
}

export function pdfTime(time: Date): string {
  return `(D:${time.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z)`;
}

/** Without exponents, which PDF doesn't allow. */
export function pdfNumber(value: number): string {
  return String(Number(value.toFixed(4)));
}
