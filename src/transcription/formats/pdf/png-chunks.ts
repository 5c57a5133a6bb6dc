export interface Png {
  width: number;
  height: number;
  bits: number;
  /** 0 grey, 2 colour, 3 palette, 4 and 6 with transparency. */
  colour: number;
  interlaced: boolean;
  transparent: boolean;
  palette: Buffer;
  /** Deflated rows with PNG's filters, which PDF supports too. */
  data: Buffer;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** The parts of a PNG, without decoding it; undefined if it is not a PNG or is truncated. */
export function readPng(bytes: Uint8Array): Png | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!view.subarray(0, 8).equals(signature)) return undefined;
  const data: Buffer[] = [];
  let header: Buffer | undefined;
  let palette = Buffer.alloc(0);
  let transparent = false;
  for (let at = 8; at + 12 <= view.length; ) {
    const length = view.readUInt32BE(at);
    const type = view.toString('latin1', at + 4, at + 8);
    const content = view.subarray(at + 8, at + 8 + length);
    if (content.length < length) return undefined;
    if (type === 'IHDR' && length === 13) header = content;
    else if (type === 'PLTE') palette = Buffer.from(content);
    else if (type === 'tRNS') transparent = true;
    else if (type === 'IDAT') data.push(content);
    else if (type === 'IEND') return header && describe(header, palette, transparent, data);
    at += 12 + length;
  }
  return undefined;
}

function describe(header: Buffer, palette: Buffer, transparent: boolean, data: readonly Buffer[]): Png {
  const [bits = 0, colour = 0, , , interlaced = 0] = header.subarray(8);
  return {
    width: header.readUInt32BE(0),
    height: header.readUInt32BE(4),
    bits,
    colour,
    interlaced: interlaced !== 0,
    transparent: transparent || colour >= 4,
    palette,
    data: Buffer.concat(data),
  };
}
