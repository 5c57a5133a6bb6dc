/** The file formats that sources may have. */
export type SourceFormat = 'png' | 'jpeg' | 'tiff' | 'webp' | 'jp2' | 'pdf' | 'zip';

/** Detects the format by content, because extensions can be wrong. A PDF may start with up to a kilobyte of other data. */
export function sourceFormat(bytes: Uint8Array): SourceFormat | undefined {
  const start = text(bytes, 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('\xff\xd8\xff')) return 'jpeg';
  // TIFF and BigTIFF in both byte orders.
  if (['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].some((mark) => start.startsWith(mark))) return 'tiff';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'webp';
  // In a JP2 file, or the bare codestream.
  if (start.startsWith('\0\0\0\x0cjP  \r\n\x87\n') || start.startsWith('\xff\x4f\xff\x51')) return 'jp2';
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return 'zip';
  if (text(bytes, 0, 1024).includes('%PDF-')) return 'pdf';
  return undefined;
}

/** Names formats that people upload by mistake, with advice. */
export function foreignFormat(bytes: Uint8Array): string {
  const start = text(bytes, 0, 512);
  if (start.startsWith('ftyp', 4)) return 'a HEIC or AVIF photograph, or a video; save it as JPEG';
  const known = Object.entries(foreign).find(([mark]) => start.startsWith(mark));
  if (known) return known[1];
  if (/^\s*</.test(start)) return 'a web page or XML';
  return start.includes('\0') ? 'of an unknown format' : 'plain text';
}

const foreign = {
  GIF8: 'a GIF; save it as PNG',
  BM: 'a BMP; save it as PNG',
  'AT&TFORM': 'a DjVu file; convert it to PDF',
  '\xd0\xcf\x11\xe0': 'an old Word, Excel or PowerPoint file; export it as PDF',
  'Rar!': 'a RAR archive; upload a ZIP',
  '7z\xbc\xaf': 'a 7-Zip archive; upload a ZIP',
} as const;

function text(bytes: Uint8Array, from: number, length: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, Math.min(length, bytes.length - from)).toString(
    'latin1',
  );
}
