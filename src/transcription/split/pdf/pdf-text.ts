import { type Pdfium, withMemory } from '../../../formats/pdf/pdfium.ts';
import { boxAround } from '../../image/box.ts';
import type { Box, Line, Page, Paragraph, Word } from '../../page/page.ts';

/** No page has more letters than this. */
const maxLetters = 200_000;

/** The words of the PDF's text layer with their places in the page's image; undefined if there are none. */
export function readTextLayer(
  pdfium: Pdfium,
  page: number,
  image: { width: number; height: number; dpi: number },
): Page | undefined {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return undefined;
  try {
    const count = Math.min(maxLetters, pdfium._FPDFText_CountChars(text));
    const lines = new LineCollector();
    withMemory(pdfium, 48, (at) => {
      for (let index = 0; index < count; index++) {
        const code = pdfium._FPDFText_GetUnicode(text, index);
        if (code === 0x0a || code === 0x0d) lines.endLine();
        else if (code <= 0x20 && code !== hyphen) lines.endWord();
        else lines.add(letterOf(code), boxOf(pdfium, page, text, index, image, at));
      }
    });
    const paragraphs = paragraphsOf(lines.finish());
    if (paragraphs.length === 0) return undefined;
    const box = boxAround(paragraphs.map((paragraph) => paragraph.box));
    const { width, height, dpi } = image;
    return { width, height, dpi, producer: 'text of the PDF', regions: [{ kind: 'text', box, paragraphs }] };
  } finally {
    pdfium._FPDFText_ClosePage(text);
  }
}

/** How many letters and digits the page has as text, visible or not; counts no further than `enough`. */
export function countLetters(pdfium: Pdfium, page: number, enough: number): number {
  const text = pdfium._FPDFText_LoadPage(page);
  if (text === 0) return 0;
  const count = Math.min(maxLetters, pdfium._FPDFText_CountChars(text));
  let letters = 0;
  for (let index = 0; index < count && letters < enough; index++) {
    if (/[\p{L}\p{N}]/u.test(letterOf(pdfium._FPDFText_GetUnicode(text, index)))) letters++;
  }
  pdfium._FPDFText_ClosePage(text);
  return letters;
}

/** The library's code for a hyphen at the end of a line. */
const hyphen = 0x02;

function letterOf(code: number): string {
  if (code === hyphen || code === 0xfffe) return '-';
  // Letters beyond the basic plane may come as two surrogates, which the string joins again.
  return code > 0xffff ? String.fromCodePoint(Math.min(code, 0x10ffff)) : String.fromCharCode(code);
}

/** `at` is the address of six 8-byte numbers. */
function boxOf(
  pdfium: Pdfium,
  page: number,
  text: number,
  index: number,
  { width, height }: { width: number; height: number },
  at: number,
): Box | undefined {
  if (!pdfium._FPDFText_GetCharBox(text, index, at, at + 8, at + 16, at + 24)) return undefined;
  const [left = 0, right = 0, bottom = 0, top = 0] = pdfium.HEAPF64.subarray(at / 8, at / 8 + 4);
  const toImage = (x: number, y: number) => {
    pdfium._FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, at + 32, at + 36);
    const [px = 0, py = 0] = pdfium.HEAP32.subarray(at / 4 + 8, at / 4 + 10);
    return { x: Math.max(0, Math.min(width, px)), y: Math.max(0, Math.min(height, py)) };
  };
  const one = toImage(left, top);
  const other = toImage(right, bottom);
  return {
    left: Math.min(one.x, other.x),
    top: Math.min(one.y, other.y),
    width: Math.abs(one.x - other.x),
    height: Math.abs(one.y - other.y),
  };
}

class LineCollector {
  #lines: Line[] = [];
  #words: Word[] = [];
  #text = '';
  #boxes: Box[] = [];

  add(letter: string, box: Box | undefined): void {
    this.#text += letter;
    if (box) this.#boxes.push(box);
  }

  endWord(): void {
    if (this.#text !== '' && this.#boxes.length > 0) {
      this.#words.push({ text: this.#text.toWellFormed(), box: boxAround(this.#boxes) });
    }
    this.#text = '';
    this.#boxes = [];
  }

  endLine(): void {
    this.endWord();
    if (this.#words.length > 0) {
      this.#lines.push({ box: boxAround(this.#words.map((word) => word.box)), words: this.#words });
    }
    this.#words = [];
  }

  finish(): Line[] {
    this.endLine();
    return this.#lines;
  }
}

/** A gap larger than a line starts a new paragraph, and so does a step up to the next column. */
function paragraphsOf(lines: readonly Line[]): Paragraph[] {
  const groups: Line[][] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const gap = last ? line.box.top - (last.box.top + last.box.height) : 0;
    const group = groups.at(-1);
    if (!group || gap > line.box.height || gap < -2 * line.box.height) groups.push([line]);
    else group.push(line);
    last = line;
  }
  return groups.map((group) => ({ box: boxAround(group.map((line) => line.box)), lines: group }));
}
