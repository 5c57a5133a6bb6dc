/** An object of a PDF: the entries of its dictionary, and the stream after it. */
export interface PdfObject {
  entries: string;
  stream?: Uint8Array;
}

/** The smallest PDF with these objects, numbered from 1; the first is the catalogue. */
export function writePdf(objects: readonly PdfObject[], trailer = ''): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.5\n')];
  let table = '0000000000 65535 f \n';
  let length = parts[0]?.length ?? 0;
  const add = (part: Uint8Array | string) => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, { entries, stream }] of objects.entries()) {
    table += `${String(length).padStart(10, '0')} 00000 n \n`;
    const size = stream ? `/Length ${stream.length}` : '';
    add(`${index + 1} 0 obj\n<<${entries}${size}>>\n`);
    if (stream) {
      add('stream\n');
      add(stream);
      add('\nendstream\n');
    }
    add('endobj\n');
  }
  const start = length;
  const size = objects.length + 1;
  add(`xref\n0 ${size}\n${table}trailer<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF`);
  return Buffer.concat(parts);
}
