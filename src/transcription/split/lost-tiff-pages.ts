/**
 * Whether the chain of pages in a TIFF leads beyond the end of the file. Libraries then return the pages before the break
 * and don't mention the rest.
 */
export function hasLostTiffPages(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const little = bytes[0] === 0x49;
  const fits = (at: number, length: number) => at + length <= bytes.length;
  if (!fits(0, 16)) return true;
  const big = view.getUint16(2, little) === 43;
  const pointerAt = (at: number) =>
    big ? Number(view.getBigUint64(at, little)) : view.getUint32(at, little);
  const form = big ? { count: 8, entry: 20, pointer: 8 } : { count: 2, entry: 12, pointer: 4 };

  const seen = new Set<number>();
  let directory = pointerAt(big ? 8 : 4);
  while (directory !== 0 && !seen.has(directory)) {
    seen.add(directory);
    if (!fits(directory, form.count)) return true;
    const entries = big ? Number(view.getBigUint64(directory, little)) : view.getUint16(directory, little);
    const next = directory + form.count + entries * form.entry;
    if (!fits(next, form.pointer)) return true;
    directory = pointerAt(next);
  }
  return false;
}
