import { FileBytes } from './file-bytes.ts';
import { sourceFormat } from './source-format.ts';

/** Other data may follow an image. */
const tailLength = 64 * 1024;

/**
 * Whether the end of an image may be missing. Checks only the container, which is much cheaper than decoding; `true` may be
 * wrong.
 */
export function mayBeCutShort(path: string): boolean {
  const file = new FileBytes(path);
  try {
    const head = Buffer.from(file.read(0, Math.min(16, file.size)) ?? []);
    const tail = () => {
      const length = Math.min(tailLength, file.size);
      return file.read(file.size - length, length) ?? Buffer.alloc(0);
    };
    switch (sourceFormat(head)) {
      case 'png':
        return !tail().includes('IEND');
      case 'jpeg':
        return !tail().includes(Buffer.from([0xff, 0xd9]));
      case 'webp':
        return head.length < 12 || head.readUInt32LE(4) + 8 > file.size;
      default:
        return false;
    }
  } finally {
    file.close();
  }
}
