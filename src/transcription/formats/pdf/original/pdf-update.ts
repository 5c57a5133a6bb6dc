import { deflateSync } from 'node:zlib';
import type { PdfObjects } from '../pdf-objects.ts';
import { numberOf, type PdfFile } from './pdf-file.ts';
import { type PdfDictionary, writeValue } from './pdf-value.ts';

/** Objects to append to a PDF: new ones, and new versions of old ones. The file itself stays as it is. */
export interface PdfUpdate extends Pick<PdfObjects, 'reserve' | 'dictionary' | 'stream' | 'deflated'> {
  /** The table of what was appended, which leads to the old one. */
  end(): Buffer;
}

export function createPdfUpdate(file: PdfFile, size: number): PdfUpdate {
  let next = numberOf(file.resolve(file.trailer.get('/Size'))) ?? 1;
  let written = size;
  const offsets = new Map<number, number>();
  const emit = (number: number, ...parts: (string | Uint8Array)[]): Buffer => {
    offsets.set(number, written);
    const object = Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
    );
    written += object.length;
    return object;
  };
  const stream = (number: number, entries: string, content: Uint8Array): Buffer =>
    emit(
      number,
      `${number} 0 obj\n<< ${entries} /Length ${content.length} >>\nstream\n`,
      content,
      '\nendstream\nendobj\n',
    );
  return {
    reserve: () => next++,
    dictionary: (number, entries) => emit(number, `${number} 0 obj\n<< ${entries} >>\nendobj\n`),
    stream,
    deflated: (number, entries, content) =>
      stream(number, `${entries} /Filter /FlateDecode`.trim(), deflateSync(content)),
    end() {
      const start = written;
      const rest = restOfTrailer(file.trailer, file.table);
      if (!file.tableIsStream) {
        const sections = [...offsets]
          .toSorted(([one], [other]) => one - other)
          .map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, '0')} 00000 n \n`);
        const table = `xref\n${sections.join('')}trailer\n<< /Size ${next} ${rest} >>\n`;
        return Buffer.from(`${table}startxref\n${start}\n%%EOF\n`, 'latin1');
      }
      // The table lists itself, too.
      const self = next++;
      offsets.set(self, start);
      const sorted = [...offsets].toSorted(([one], [other]) => one - other);
      const rows = Buffer.alloc(sorted.length * 9);
      for (const [index, [, offset]] of sorted.entries()) {
        rows.writeUInt8(1, index * 9);
        rows.writeUIntBE(offset, index * 9 + 1, 6);
      }
      const packed = deflateSync(rows);
      const index = sorted.map(([number]) => `${number} 1`).join(' ');
      const entries = `/Type /XRef /W [1 6 2] /Index [${index}] /Size ${next} ${rest} /Filter /FlateDecode /Length ${packed.length}`;
      return Buffer.concat([
        Buffer.from(`${self} 0 obj\n<< ${entries} >>\nstream\n`, 'latin1'),
        packed,
        Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`, 'latin1'),
      ]);
    },
  };
}

function restOfTrailer(trailer: PdfDictionary, table: number): string {
  const kept = ['/Root', '/Info', '/ID'].flatMap((key) => {
    const value = trailer.get(key);
    return value === undefined ? [] : [`${key} ${writeValue(value)}`];
  });
  return [...kept, `/Prev ${table}`].join(' ');
}
