/** A field of a TIFF directory: tag, type (3 = two bytes, 4 = four), count, value or where the values are. */
export type TiffField = readonly [tag: number, type: number, count: number, value: number];

/** The fields of a grey image of one strip, right after the head of the file. */
export function greyFields(width: number, height: number): TiffField[] {
  return [
    [256, 4, 1, width],
    [257, 4, 1, height],
    [258, 3, 1, 8],
    [259, 3, 1, 1],
    [262, 3, 1, 1],
    [273, 4, 1, 8],
    [277, 3, 1, 1],
    [278, 4, 1, height],
    [279, 4, 1, width * height],
  ];
}

/** A TIFF of one page with exactly these fields, and its data at 8. `next` is the place of the next directory. */
export function writeTiff(fields: readonly TiffField[], data: Uint8Array, next = 0): Buffer {
  const head = Buffer.from('II*\0\0\0\0\0');
  head.writeUInt32LE(8 + data.length, 4);
  const directory = Buffer.alloc(2 + fields.length * 12 + 4);
  directory.writeUInt16LE(fields.length, 0);
  for (const [index, [tag, type, count, value]] of fields.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(type, at + 2);
    directory.writeUInt32LE(count, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  directory.writeUInt32LE(next, directory.length - 4);
  return Buffer.concat([head, data, directory]);
}

/** A TIFF of grey pages, all of this width. */
export function writeTiffPages(pages: readonly Uint8Array[], width: number): Buffer {
  const parts: Buffer[] = [];
  let at = 8;
  for (const [number, data] of pages.entries()) {
    const height = data.length / width;
    const fields = changed(greyFields(width, height), { 273: [273, 4, 1, at] });
    const page = writeTiff(fields, data).subarray(8);
    at += page.length;
    // Where the next directory will be: behind the data of the next page.
    const next = pages[number + 1];
    page.writeUInt32LE(next ? at + next.length : 0, page.length - 4);
    parts.push(page);
  }
  const head = Buffer.from('II*\0\0\0\0\0');
  head.writeUInt32LE(8 + (pages[0]?.length ?? 0), 4);
  return Buffer.concat([head, ...parts]);
}

/** The fields, with some replaced or, if undefined, left out. */
export function changed(fields: readonly TiffField[], changes: Record<number, TiffField | undefined>) {
  return fields
    .flatMap((field) => (field[0] in changes ? [changes[field[0]]] : [field]))
    .filter((field) => field !== undefined);
}

/** Every strip of the image is the same long piece of the file: reading it once for each row takes hours. */
export function overlappingStrips(rows: number, length: number): Buffer {
  const table = Buffer.alloc(rows * 8);
  for (let row = 0; row < rows; row++) {
    table.writeUInt32LE(8 + rows * 8, row * 4);
    table.writeUInt32LE(length, rows * 4 + row * 4);
  }
  const fields = changed(greyFields(100, rows), {
    // Deflated.
    259: [259, 3, 1, 8],
    273: [273, 4, rows, 8],
    278: [278, 4, 1, 1],
    279: [279, 4, rows, 8 + rows * 4],
  });
  return writeTiff(fields, Buffer.concat([table, Buffer.alloc(length, 0x41)]));
}

/** Changes a file a little, in one of several ways. `random` decides everything. */
export function mutate(file: Uint8Array, random: () => number): { bytes: Buffer; how: string } {
  const bytes = Buffer.from(file);
  const at = () => Math.floor(random() * bytes.length);
  const ways: Record<string, () => Buffer> = {
    'cut off': () => bytes.subarray(0, at()),
    'bits flipped': () => {
      for (let count = 0; count < 1 + random() * 20; count++) {
        const place = at();
        bytes[place] = (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8));
      }
      return bytes;
    },
    'bytes set to extremes': () => {
      for (let count = 0; count < 1 + random() * 8; count++) bytes[at()] = random() < 0.5 ? 0xff : 0;
      return bytes;
    },
    'a piece repeated': () => {
      const [from, to] = [at(), at()].sort((one, other) => one - other) as [number, number];
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
    },
    'a piece removed': () => {
      const [from, to] = [at(), at()].sort((one, other) => one - other) as [number, number];
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    },
    'a piece zeroed': () => {
      const from = at();
      return bytes.fill(0, from, Math.min(bytes.length, from + Math.floor(random() * 2000)));
    },
    'the head changed': () => {
      for (let count = 0; count < 4; count++)
        bytes[Math.floor(random() * Math.min(200, bytes.length))] = Math.floor(random() * 256);
      return bytes;
    },
  };
  const names = Object.keys(ways);
  const how = names[Math.floor(random() * names.length)] ?? '';
  return { bytes: ways[how]?.() ?? bytes, how };
}
