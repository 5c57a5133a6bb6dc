const pieceBytes = 256 * 1024;
const largest = pieceBytes / 4;

let piece = Buffer.alloc(0);
let used = 0;

/**
 * Uninitialised memory for the bytes of a mail. Mails live for milliseconds and share large pieces: three buffers for each mail
 * would keep the garbage collector busy.
 */
export function messageMemory(bytes: number): Buffer {
  if (bytes > largest) return Buffer.allocUnsafeSlow(bytes);
  if (used + bytes > piece.length) {
    piece = Buffer.allocUnsafeSlow(pieceBytes);
    used = 0;
  }
  used += bytes;
  return piece.subarray(used - bytes, used);
}
