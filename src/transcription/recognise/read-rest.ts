import type { Grey } from '../image/grey.ts';
import type { Decode } from '../image/remember-grey.ts';
import { insertRegions } from '../layout/insert-regions.ts';
import { findTables } from '../layout/tables/find-tables.ts';
import type { Box, Line, Page } from '../page/page.ts';
import { confidenceOf, linesOf } from './keep-surer.ts';
import type { RecogniseOptions, Recogniser } from './recogniser.ts';
import { fitted } from './thresholds.ts';
import { findUnread, type UnreadInk } from './unread-ink.ts';

export interface ImageToRead {
  recogniser: Recogniser;
  image: Uint8Array;
  options: RecogniseOptions;
  decode: Decode;
}

/** Has another recogniser, if available, read unsure lines and unread ink that looks like text. */
export async function readDoubtful(
  { recogniser, image, options, decode }: ImageToRead,
  page: Page,
): Promise<Doubtful> {
  if (!recogniser.readAgain) return { page };
  const grey = await decode(image);
  if (!isSameSize(grey, page)) return { page };
  const unread = findUnread(grey, page);
  const again = await recogniser.readAgain(image, page, { ...options, decode, unread: unread.boxes });
  return { page: again ?? page, unread: { image, page, found: unread, wasRead: again !== undefined } };
}

export interface Doubtful {
  page: Page;
  /** Unread ink found in a reading of an image. */
  unread?: Unread;
}

interface Unread {
  image: Uint8Array;
  page: Page;
  found: UnreadInk;
  /** Whether it has been read since. */
  wasRead: boolean;
}

function isSameSize(one: { width: number; height: number }, other: { width: number; height: number }) {
  return one.width === other.width && one.height === other.height;
}

/**
 * Finds ink that looks like text outside the lines that were read, and reads it too if `mayRead`. Records the rest in the page, so that
 * text is never left out silently.
 */
export async function readRest(
  { recogniser, image, decode, options }: ImageToRead,
  page: Page,
  { mayRead, tables, known }: { mayRead: boolean; tables: boolean; known?: Unread | undefined },
): Promise<Page> {
  const grey = await decode(image);
  // A custom recogniser may report another size.
  if (!isSameSize(grey, page)) return page;
  // `findUnread` overwrites nothing that is needed later.
  const found = known?.page === page && known.image === image ? known.found : findUnread(grey, page);
  const whole = await readUnread({ recogniser, image, options }, grey, page, found, mayRead);
  if (!tables) return whole;
  const divided = findTables(grey, whole);
  const filled = divided.regions.filter(({ kind, paragraphs }) => kind === 'table' && paragraphs.length > 0);
  for (const table of filled) options.log(`a table of ${table.paragraphs.length} cells is read row by row`);
  return divided;
}

async function readUnread(
  { recogniser, image, options }: Pick<ImageToRead, 'recogniser' | 'image' | 'options'>,
  grey: Grey,
  page: Page,
  found: UnreadInk,
  mayRead: boolean,
): Promise<Page> {
  if (found.lines === 0) return page;
  const more = mayRead ? await readBoxes(recogniser, image, options, page, found.boxes) : page;
  const added = linesOf(more).length - linesOf(page).length;
  const unread = added > 0 ? findUnread(grey, more) : found;
  if (added > 0)
    options.log(`${worth(found.lines)} of ink was unread; lines of it read separately: ${added}`);
  if (unread.lines > 0) options.log(`${worth(unread.lines)} of ink is unread`);
  return unread.lines > 0 ? { ...more, unread } : more;
}

function worth(lines: number): string {
  return lines === 1 ? "1 line's worth" : `${lines} lines' worth`;
}

async function readBoxes(
  recogniser: Recogniser,
  image: Uint8Array,
  options: RecogniseOptions,
  page: Page,
  boxes: readonly Box[],
): Promise<Page> {
  const { width, height } = page;
  const regions = boxes.map((box) => ({ kind: 'text' as const, box, paragraphs: [] }));
  const again = await recogniser.recognise(image, { ...options, layout: { width, height, regions } });
  const known = linesOf(page).flatMap(({ words }) => words.map(({ box }) => box));
  const isNew = (line: Line) =>
    line.words.reduce((sum, { text }) => sum + text.length, 0) >= 4 &&
    confidenceOf(line.words) >= fitted.believed &&
    !known.some((box) => isWithin(box, line.box));
  const added = again.regions.flatMap((region) => {
    const paragraphs = region.paragraphs
      .map((paragraph) => ({ ...paragraph, lines: paragraph.lines.filter(isNew) }))
      .filter(({ lines }) => lines.length > 0);
    return paragraphs.length === 0 ? [] : [{ ...region, paragraphs }];
  });
  return { ...page, regions: insertRegions(page.regions, added) };
}

/** Whether the middle of a word lies in a box. */
function isWithin(word: Box, { left, top, width, height }: Box): boolean {
  const [x, y] = [word.left + word.width / 2, word.top + word.height / 2];
  return x > left && x < left + width && y > top && y < top + height;
}
