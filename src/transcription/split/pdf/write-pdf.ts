/** An object of a PDF: the entries of its dictionary, and the stream after it. */
export interface PdfObject {
  entries: string;
  stream?: Uint8Array;
}

/** The smallest PDF with these objects, numbered from 1; the first is the catalogue. */
export function writePdf(objects: readonly PdfObject[], trailer = ''): Uint8Array {
  const writer = new PdfWriter();
  for (const { entries, stream } of objects) writer.add(entries, stream);
  return Buffer.concat([...writer.parts, writer.end(trailer)]);
}

/** The same, with one more object at the end whose stream is a large file: what comes before and after its bytes. */
export function writePdfAround(
  objects: readonly PdfObject[],
  entries: string,
  size: number,
): { before: Uint8Array; after: Uint8Array } {
  const writer = new PdfWriter();
  for (const object of objects) writer.add(object.entries, object.stream);
  writer.begin(`${entries}/Length ${size}`, 'stream\n');
  const before = Buffer.concat(writer.parts.splice(0));
  writer.length += size;
  writer.put('\nendstream\nendobj\n');
  return { before, after: Buffer.concat([...writer.parts, writer.end('')]) };
}

class PdfWriter {
  readonly parts: Uint8Array[] = [];
  length = 0;
  #table = '0000000000 65535 f \n';
  #objects = 0;

  constructor() {
    this.put('%PDF-1.5\n');
  }

  put(part: Uint8Array | string): void {
    const bytes = Buffer.from(part);
    this.parts.push(bytes);
    this.length += bytes.length;
  }

  begin(entries: string, then = ''): void {
    this.#table += `${String(this.length).padStart(10, '0')} 00000 n \n`;
    this.put(`${++this.#objects} 0 obj\n<<${entries}>>\n${then}`);
  }

  add(entries: string, stream: Uint8Array | undefined): void {
    this.begin(stream ? `${entries}/Length ${stream.length}` : entries);
    if (stream) {
      this.put('stream\n');
      this.put(stream);
      this.put('\nendstream\n');
    }
    this.put('endobj\n');
  }

  end(trailer: string): Uint8Array {
    const size = this.#objects + 1;
    return Buffer.from(
      `xref\n0 ${size}\n${this.#table}trailer<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${this.length}\n%%EOF`,
    );
  }
}
