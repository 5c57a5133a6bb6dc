import { sourceFormat } from './source-format.ts';

/** Whether the end of an image is missing, seen from its outer form alone: much cheaper than unpacking it. */
export function isCutShort(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (sourceFormat(bytes)) {
    case 'png':
      return buffer.lastIndexOf('IEND') < 0;
    case 'jpeg':
      // A small picture of the picture, near the beginning, has an end of its own.
      return buffer.lastIndexOf(Buffer.from([0xff, 0xd9])) < buffer.length / 2;
    case 'webp':
      return buffer.length < 12 || buffer.readUInt32LE(4) + 8 > buffer.length;
    default:
      return false;
  }
}
