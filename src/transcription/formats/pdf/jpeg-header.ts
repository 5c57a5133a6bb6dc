export interface JpegHeader {
  width: number;
  height: number;
  components: number;
  bits: number;
  /** The EXIF orientation; 1 is upright. */
  orientation: number;
}

/** What a PDF needs to know to embed a JPEG unchanged; undefined if it is not a JPEG, or not one we support. */
export function readJpegHeader(bytes: Uint8Array): JpegHeader | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < 4 || view.readUInt16BE(0) !== 0xffd8) return undefined;
  let orientation = 1;
  for (let at = 2; at + 9 < view.length; ) {
    const marker = view.readUInt16BE(at);
    // Any number of fill bytes may precede a marker.
    if (marker === 0xffff) {
      at += 1;
      continue;
    }
    const length = view.readUInt16BE(at + 2);
    if (marker < 0xffc0 || marker === 0xffda || length < 2) return undefined;
    if (marker === 0xffe1) orientation = exifOrientation(view.subarray(at + 4, at + 2 + length));
    if (isFrame(marker)) {
      const [bits = 0, components = 0] = [view[at + 4], view[at + 9]];
      return {
        height: view.readUInt16BE(at + 5),
        width: view.readUInt16BE(at + 7),
        components,
        bits,
        orientation,
      };
    }
    at += 2 + length;
  }
  return undefined;
}

/** Baseline, extended or progressive: the kinds that PDF readers can decode. */
function isFrame(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffc2;
}

function exifOrientation(segment: Buffer): number {
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0' || segment.length < 14) return 1;
  const tiff = segment.subarray(6);
  const little = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number) => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (directory + 2 > tiff.length) return 1;
  for (let entry = 0; entry < short(directory); entry += 1) {
    const at = directory + 2 + entry * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) === 0x0112) return short(at + 8);
  }
  return 1;
}
