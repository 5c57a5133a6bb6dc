import { PismakError } from '../../engine/ground/errors.ts';

/** The calls of PDFium (https://pdfium.googlesource.com/pdfium/+/main/public/) that we use. Numbers are addresses in its memory. */
export interface Pdfium {
  HEAPU8: Uint8Array;
  HEAP32: Int32Array;
  HEAPU32: Uint32Array;
  HEAPF32: Float32Array;
  HEAPF64: Float64Array;
  wasmExports: { __indirect_function_table: WebAssembly.Table };
  _malloc(size: number): number;
  _free(address: number): void;
  _FPDF_InitLibrary(): void;
  _FPDF_LoadCustomDocument(access: number, password: number): number;
  _FPDF_LoadMemDocument(bytes: number, size: number, password: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_GetMetaText(document: number, name: number, to: number, size: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDF_GetPageWidthF(page: number): number;
  _FPDF_GetPageHeightF(page: number): number;
  _FPDFPage_GetRotation(page: number): number;
  _FPDF_GetPageBoundingBox(page: number, rectangle: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_GetMatrix(object: number, matrix: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFImageObj_GetImagePixelSize(object: number, width: number, height: number): number;
  _FPDFImageObj_GetImageFilterCount(object: number): number;
  _FPDFImageObj_GetImageFilter(object: number, index: number, buffer: number, size: number): number;
  _FPDFImageObj_GetImageDataRaw(object: number, buffer: number, size: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, buffer: number, stride: number): number;
  _FPDFBitmap_FillRect(
    bitmap: number,
    left: number,
    top: number,
    width: number,
    height: number,
    colour: number,
  ): void;
  _FPDFBitmap_Destroy(bitmap: number): void;
  _FPDF_RenderPageBitmap(
    bitmap: number,
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotate: number,
    flags: number,
  ): void;
  _FPDF_PageToDevice(
    page: number,
    left: number,
    top: number,
    width: number,
    height: number,
    rotate: number,
    x: number,
    y: number,
    deviceX: number,
    deviceY: number,
  ): number;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetText(text: number, start: number, count: number, to: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_GetCharBox(
    text: number,
    index: number,
    left: number,
    right: number,
    bottom: number,
    top: number,
  ): number;
  _FPDFLink_Enumerate(page: number, position: number, link: number): number;
  _FPDFLink_GetAction(link: number): number;
  _FPDFAction_GetURIPath(document: number, action: number, to: number, size: number): number;
}

/** `FPDF_GetLastError` when a document needs a password. */
export const passwordNeeded = 4;

let loaded: Promise<Pdfium> | undefined;

/** The PDF library, an optional package compiled to WebAssembly, so a hostile file can't reach beyond its memory. */
export function loadPdfium(): Promise<Pdfium> {
  loaded ??= openPdfium();
  return loaded;
}

/** With a memory of its own: whatever a file has done to it ends with the last reference to it. */
export async function openPdfium(): Promise<Pdfium> {
  const module = await import('@hyzyla/pdfium').catch((cause) => {
    const advice =
      'PDF needs the package @hyzyla/pdfium, which is not installed: npm install --include=optional';
    throw new PismakError('unavailable', advice, { cause });
  });
  // The package declares types only for the calls that it uses.
  const pdfium = (await module.PDFiumModule({})) as unknown as Pdfium;
  pdfium._FPDF_InitLibrary();
  return pdfium;
}

/** Allocates bytes in the library's memory for one call and frees them afterwards. */
export function withMemory<Result>(pdfium: Pdfium, size: number, use: (address: number) => Result): Result {
  // The library would take a size beyond its addresses for a small one.
  const address = size < 2 ** 31 ? pdfium._malloc(size) : 0;
  if (address === 0) throw new Error(`out of memory for the PDF: it needs ${size} bytes more`);
  try {
    return use(address);
  } finally {
    pdfium._free(address);
  }
}
