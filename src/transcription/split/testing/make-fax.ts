/** A white page as from a fax: TIFF, one bit per pixel, Group 4, where a row equal to the one above is a single 1. */
export function makeFax(width: number, height: number): Buffer {
  const data = Buffer.alloc(Math.ceil(height / 8), 0xff);
  const fields: [tag: number, value: number][] = [
    [256, width],
    [257, height],
    [258, 1],
    [259, 4],
    // White is 0.
    [262, 0],
    [273, 8],
    [277, 1],
    [278, height],
    [279, data.length],
  ];
  const directory = Buffer.alloc(2 + fields.length * 12 + 4);
  directory.writeUInt16LE(fields.length, 0);
  for (const [index, [tag, value]] of fields.entries()) {
    const at = 2 + index * 12;
    directory.writeUInt16LE(tag, at);
    directory.writeUInt16LE(4, at + 2);
    directory.writeUInt32LE(1, at + 4);
    directory.writeUInt32LE(value, at + 8);
  }
  const head = Buffer.from('II*\0\0\0\0\0');
  head.writeUInt32LE(8 + data.length, 4);
  return Buffer.concat([head, data, directory]);
}
