const endMarker = Buffer.from([0xff, 0xd9]);

/**
 * A JPEG with an end marker. Some scanners leave it out, and the image library then takes the file for truncated; with a marker
 * it only complains if data is really missing.
 */
export function closeJpeg(bytes: Uint8Array): Uint8Array {
  const tail = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).subarray(-tailLength);
  return tail.includes(endMarker) ? bytes : Buffer.concat([bytes, endMarker]);
}

/** Other data may follow the image. */
const tailLength = 64 * 1024;
