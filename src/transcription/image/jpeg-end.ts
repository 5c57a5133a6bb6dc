import { PermanentFailure } from '../../engine/processor/processor.ts';

const endMarker = Buffer.from([0xff, 0xd9]);

/**
 * A JPEG with an end marker. Some scanners leave it out, and the image library then takes the file for truncated; with a marker
 * it only complains if data is really missing.
 */
export function closeJpeg(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // Other data may follow the image. A thumbnail near the start has an end marker too.
  if (view.lastIndexOf(endMarker) >= view.length / 2) return bytes;
  // Zeros are valid image data, but at the end of a file they are what a broken copy left.
  if (view.subarray(-emptyLength).every((byte) => byte === 0))
    throw new PermanentFailure('the image is truncated (its end is empty); scan or upload it again');
  return Buffer.concat([bytes, endMarker]);
}

const emptyLength = 64;
