import { sourceFormat } from './source-format.ts';

/** Whether the end of an image is missing. Looks only at the container, which is much cheaper than decoding. */
export function isCutShort(bytes: Uint8Array): boolean {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  switch (sourceFormat(bytes)) {
    case 'png':
      return buffer.lastIndexOf('IEND') < 0;
    case 'jpeg':
      // A thumbnail near the start has an end marker too.
      return buffer.lastIndexOf(Buffer.from([0xff, 0xd9])) < buffer.length / 2;
    case 'webp':
      return buffer.length < 12 || buffer.readUInt32LE(4) + 8 > buffer.length;
    default:
      return false;
  }
}
