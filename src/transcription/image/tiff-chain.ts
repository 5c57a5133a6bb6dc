import { closeSync, openSync, writeSync } from 'node:fs';
import { FileBytes } from './file-bytes.ts';

/**
 * Ends a TIFF's chain of pages where it leads beyond the file or back to an earlier page, and returns whether it did. Libraries
 * otherwise drop the remaining pages silently, or refuse the whole file. Changes the file.
 */
export function endTiffChain(path: string, mostPages: number): boolean {
  const file = new FileBytes(path);
  const broken = findBreak(file, mostPages);
  file.close();
  if (!broken) return false;
  const writable = openSync(path, 'r+');
  writeSync(writable, Buffer.alloc(broken.length), 0, broken.length, broken.at);
  closeSync(writable);
  return true;
}

/** The same for bytes in memory, for readers of the first page. Returns a copy if a change is needed. */
export function withEndedTiffChain(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = (at: number, length: number) =>
    at >= 0 && at + length <= view.length ? view.subarray(at, at + length) : undefined;
  const broken = findBreak({ read }, 1000);
  if (!broken || broken.at + broken.length > bytes.length) return bytes;
  const copy = Buffer.from(view);
  copy.fill(0, broken.at, broken.at + broken.length);
  return copy;
}

/** Finds the invalid pointer within the first pages. */
function findBreak(
  file: Pick<FileBytes, 'read'>,
  mostPages: number,
): { at: number; length: number } | undefined {
  const head = file.read(0, 16);
  if (!head) return undefined;
  const form = tiffForm(head);
  const seen = new Set<number>();
  let pointer = { at: form.first, length: form.pointer };
  let directory = form.readPointer(head, form.first);
  while (directory !== 0 && seen.size <= mostPages) {
    if (seen.has(directory)) return pointer;
    seen.add(directory);
    const count = file.read(directory, form.count);
    if (!count) return pointer;
    const entries = form.readCount(count);
    const after = directory + form.count + entries * form.entry;
    const next = file.read(after, form.pointer);
    // Every page has a few entries at least.
    if (!next || entries === 0) return pointer;
    pointer = { at: after, length: form.pointer };
    directory = form.readPointer(next);
  }
  return undefined;
}

/** Byte order and field widths of a TIFF or BigTIFF. `head` is its first 16 bytes. */
export function tiffForm(head: Buffer) {
  const little = head[0] === 0x49;
  const short = (bytes: Buffer, at = 0) => (little ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (bytes: Buffer, at = 0) => (little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  const huge = (bytes: Buffer, at = 0) =>
    Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
  const sizes =
    short(head, 2) === 43
      ? { count: 8, readCount: huge, entry: 20, pointer: 8, readPointer: huge, first: 8 }
      : { count: 2, readCount: short, entry: 12, pointer: 4, readPointer: long, first: 4 };
  return { ...sizes, short, long, huge };
}
