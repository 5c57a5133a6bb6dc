import type { Pdfium } from '../../../formats/pdf/pdfium.ts';
import { FileBytes } from '../../image/file-bytes.ts';

/** What a document is read from: bytes in memory, or a file. Several of them form one document, one after another. */
export type PdfSource = readonly (Uint8Array | FileBytes)[];

const open = new WeakMap<Pdfium, Map<number, PdfSource>>();

/**
 * Lets PDFium read a source piece by piece, instead of holding all of it in memory. Returns the address of the record that
 * `FPDF_LoadCustomDocument` takes: length, function, and what the function gets as its first argument.
 */
export function openAccess(pdfium: Pdfium, source: PdfSource): { address: number; close(): void } {
  const sources = open.get(pdfium) ?? install(pdfium);
  const address = pdfium._malloc(12);
  if (address === 0) throw new Error('out of memory for the PDF');
  const size = source.reduce((sum, part) => sum + sizeOf(part), 0);
  sources.set(address, source);
  pdfium.HEAPU32.set([size, 0, address], address / 4);
  return {
    address,
    close() {
      sources.delete(address);
      pdfium._free(address);
    },
  };
}

/**
 * The library's table of functions can't grow, so ours takes the place of the null function, which nothing calls. It must be
 * a function of WebAssembly: this module imports it and exports it again.
 */
function install(pdfium: Pdfium): Map<number, PdfSource> {
  const sources = new Map<number, PdfSource>();
  open.set(pdfium, sources);
  const read = (id: number, at: number, to: number, length: number) => {
    try {
      const source = sources.get(id);
      const memory = pdfium.HEAPU8.subarray(to >>> 0, (to >>> 0) + (length >>> 0));
      return source && readParts(source, memory, at >>> 0) ? 1 : 0;
    } catch {
      // An exception must not cross the library's frames.
      return 0;
    }
  };
  const module = new WebAssembly.Module(passThrough);
  const { exports } = new WebAssembly.Instance(module, { e: { f: read } });
  pdfium.wasmExports.__indirect_function_table.set(0, exports.f);
  return sources;
}

/** `(module (import "e" "f" (func (param i32 i32 i32 i32) (result i32))) (export "f" (func 0)))` */
const passThrough = Buffer.from(
  '0061736d0100000001090160047f7f7f7f017f0207010165016600000705010166' + '0000',
  'hex',
);

function readParts(source: PdfSource, memory: Uint8Array, from: number): boolean {
  let at = from;
  let done = 0;
  for (const part of source) {
    const size = sizeOf(part);
    const length = Math.min(memory.length - done, size - at);
    if (length > 0) {
      const target = memory.subarray(done, done + length);
      if (part instanceof FileBytes) readFile(part, target, at);
      else target.set(part.subarray(at, at + length));
      done += length;
    }
    at = Math.max(0, at - size);
  }
  return done === memory.length;
}

/** Small pieces come from a window of the file, of which a parser wants one after another. */
function readFile(file: FileBytes, target: Uint8Array, at: number): void {
  if (target.length >= 16 * 1024) {
    if (file.readInto(target, at) < target.length) throw new Error('the file became shorter');
    return;
  }
  const piece = file.read(at, target.length);
  if (!piece) throw new Error('the file became shorter');
  target.set(piece);
}

function sizeOf(part: Uint8Array | FileBytes): number {
  return part instanceof FileBytes ? part.size : part.length;
}
