import { setImmediate } from 'node:timers/promises';
import { messageOf, PismakError } from '../../../../engine/ground/errors.ts';
import type { FileBytes } from '../../../image/file-bytes.ts';
import type { Page } from '../../../page/page.ts';
import { createInvisibleFont } from '../invisible-font.ts';
import { pdfNumber } from '../pdf-objects.ts';
import { textLayer } from '../text-layer.ts';
import { layDown, upright } from '../upright.ts';
import { type OriginalPage, pagesOfFile } from './pages-of-file.ts';
import { PdfFile } from './pdf-file.ts';
import { createPdfUpdate, type PdfUpdate } from './pdf-update.ts';
import { type PdfReference, writeValue } from './pdf-value.ts';

/**
 * The same PDF with an invisible text layer on some pages: the bytes of the file as they are, then what is new. So everything
 * else stays: images, links, outline, attachments, metadata. `textOf` gives the text of a page, counted from 1, in parts if some of it lies
 * another way round; or nothing.
 */
export async function* addText(
  bytes: FileBytes,
  textOf: (number: number) => Promise<readonly Page[]>,
): AsyncGenerator<Uint8Array> {
  const { file, pages } = await open(bytes);
  for (let at = 0; at < bytes.size; at += pieceSize) {
    const piece = Buffer.alloc(Math.min(pieceSize, bytes.size - at));
    bytes.readInto(piece, at);
    yield piece;
  }
  // Objects begin on a line of their own.
  yield Buffer.from('\n');
  const update = createPdfUpdate(file, bytes.size + 1);
  const font = createInvisibleFont();
  const [fontNumber, save] = [update.reserve(), update.reserve()];
  let isEmpty = true;
  for (const [index, original] of pages.entries()) {
    const parts = await textOf(index + 1);
    if (parts.length === 0) continue;
    if (isEmpty) yield update.stream(save, '', Buffer.from('q\n'));
    isEmpty = false;
    const text = update.reserve();
    yield update.deflated(
      text,
      '',
      Buffer.from(`\nQ\n${parts.map((page) => drawing(page, original, font)).join('')}`, 'latin1'),
    );
    yield rewritten(update, original, { save, text, font: fontNumber });
  }
  if (isEmpty) return;
  // The font needs no more of the writer than the update has.
  yield* font.write(update, fontNumber);
  yield update.end();
}

const pieceSize = 1024 * 1024;
const pagesAtOnce = 100;
const fontName = 'PismakText';

async function open(bytes: FileBytes): Promise<{ file: PdfFile; pages: OriginalPage[] }> {
  try {
    const file = new PdfFile(bytes);
    if (file.trailer.has('/Encrypt')) throw new Error('it is encrypted');
    const pages: OriginalPage[] = [];
    for (const page of pagesOfFile(file)) {
      pages.push(page);
      // Others want to be served meanwhile.
      if (pages.length % pagesAtOnce === 0) await setImmediate();
    }
    return { file, pages };
  } catch (error) {
    throw new PismakError(
      'conflict',
      `text can't be added to this PDF: ${messageOf(error)}; download the document as a new PDF instead (--pdf)`,
      { cause: error },
    );
  }
}

/** The words, laid over what readers show of the page: its box, turned. */
function drawing(
  page: Page,
  { box, rotate }: OriginalPage,
  font: ReturnType<typeof createInvisibleFont>,
): string {
  const [left, bottom, right, top] = box;
  const [width, height] = [right - left, top - bottom];
  const shown = rotate % 180 === 0 ? width : height;
  const turn = ((rotate + (page.turn ?? 0)) % 360) as 0 | 90 | 180 | 270;
  const text = textLayer(upright(page), shown / page.width, font, fontName);
  const place = `1 0 0 1 ${pdfNumber(left)} ${pdfNumber(bottom)} cm ${layDown({ ...page, turn }, width, height)}`;
  return `q ${place}\n${text}Q\n`;
}

/** The page with the text after its own contents, which are put between `q` and `Q`, whatever state they leave. */
function rewritten(
  update: PdfUpdate,
  { reference, dictionary, resources, fonts, contents }: OriginalPage,
  added: { save: number; text: number; font: number },
): Buffer {
  const refer = (object: number): PdfReference => ({ object, generation: 0 });
  const font = new Map(fonts).set(`/${fontName}`, refer(added.font));
  const page = new Map(dictionary)
    .set('/Contents', [refer(added.save), ...contents, refer(added.text)])
    .set('/Resources', new Map(resources).set('/Font', font));
  const entries = [...page].map(([key, value]) => `${key} ${writeValue(value)}`).join(' ');
  return update.dictionary(reference.object, entries);
}
