import type { Grey } from '../../image/grey.ts';
import type { ImageLimits } from '../../image/image-limits.ts';
import { readGrey } from '../../image/open-image.ts';
import { asRegions } from '../../lines/blocks.ts';
import { type FoundLine, type FoundLines, findLines } from '../../lines/find-lines.ts';
import type { Box, Line, Page, Region } from '../../page/page.ts';
import { type RecogniseOptions, type Recogniser, textZones } from '../recogniser.ts';
import { lineCutter } from './cut-line.ts';
import type { ReadLetter } from './decode.ts';
import { lengthOf } from './doubt.ts';
import { asCapital, type Capital, joinDropCapitals } from './drop-capitals.ts';
import { type Model, type ModelFiles, openModel, runtimeVersion } from './model.ts';
import { findOrientation } from './orientation.ts';
import { positiveOf } from './positive.ts';
import { readLines } from './read-lines.ts';
import { asLine } from './words.ts';

/** One model reads all of them; the names are for other stages. */
export const pismakLanguages = ['Fraktur', 'ces', 'deu', 'eng', 'fra', 'lat', 'slk'];

/** Lines below this mean confidence are stains, ornaments or other scripts. */
const leastSure = 0.5;
/** If a larger share of lines, by length, gives no text, the page may be turned. */
const mostUnread = 0.4;
/** A newspaper page has a thousand. */
const mostLines = 2500;
/** A few letters alone are often dust, one or two non-digits even more so. */
const fewLetters = 3;
const leastSureOfFew = 0.8;
const leastSureOfTwo = 0.97;

/** Pismak's own recogniser: a classical line finder and a small network, in this process, with nothing to install. */
export async function openPismak({
  limits,
  files,
}: {
  limits: ImageLimits;
  /** A model to use instead of the packaged one. */
  files?: ModelFiles | undefined;
}): Promise<Recogniser> {
  const model = await openModel(files);
  // Guessing the language reads the same image once per language, and regions of it may be requested later.
  let last: { image: Uint8Array; read: ReadPage } | undefined;
  const decode = (image: Uint8Array, wanted: RecogniseOptions) =>
    wanted.decode?.(image) ?? readGrey(image, limits);

  return {
    name: 'pismak',
    formats: ['png', 'jpeg', 'tiff', 'webp'],
    describe: async () => `pismak ${model.name} ${model.fingerprint}, ${runtimeVersion()}`,
    languages: async () => pismakLanguages,
    async recognise(image, wanted) {
      const { language, layout } = wanted;
      const zones = textZones(layout);
      const known = last?.image === image ? last.read : undefined;
      const read = known ?? (await readPage(model, await decode(image, wanted), zones, wanted));
      if (!zones) last = { image, read };
      return { ...structuredClone(asPage(read, zones)), language };
    },
    hasFailed: (image) => last?.image === image && last.read.unread > mostUnread,
    orientation: async (image, { signal }) => {
      const page = await readGrey(image, limits);
      return findOrientation(model, await positiveOf(model, page, signal), signal);
    },
    close: () => model.close(),
  };
}

interface ReadPage {
  size: Pick<Page, 'width' | 'height' | 'dpi'>;
  lines: Line[];
  others: Region[];
  /** Share of lines, by length, that gave no text. */
  unread: number;
}

/** Reads all lines, or those in and near some zones. */
async function readPage(
  model: Model,
  given: Grey & { dpi?: number },
  zones: readonly Box[] | undefined,
  { signal, log }: RecogniseOptions,
): Promise<ReadPage> {
  const page = await positiveOf(model, given, signal);
  if (page !== given) log('the page is a negative: it is read inverted');
  const all = findLines(page);
  const found = { ...all, lines: zones ? all.lines.filter((line) => isNear(line, zones)) : all.lines };
  const cut = lineCutter(page, model.height);
  const likely = found.lines.toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, mostLines);
  if (likely.length < found.lines.length)
    log(`${found.lines.length} lines were found, mostly stains; the longest ${mostLines} are read`);
  const strips = likely.flatMap((line) => {
    const strip = cut(line);
    return strip ? [{ line, strip }] : [];
  });
  const letters = await readLines(
    model,
    strips.map(({ strip }) => strip),
    signal,
  );
  let [length, unreadLength] = [0, 0];
  const capitals: Capital[] = [];
  const sure = strips.flatMap(({ line, strip }, index): Line[] => {
    const own = letters[index] ?? [];
    const read = asLine(own, strip, line, page);
    const capital = read && asCapital(read, line);
    if (capital) capitals.push(capital);
    const isSure = isText(own);
    length += lengthOf(line);
    if (!isSure) unreadLength += lengthOf(line);
    return read && isSure && !isPieceOfRule(read, found.rules) ? [read] : [];
  });
  const used = joinDropCapitals(capitals, sure);
  const lines = sure.filter((line) => !used.has(line));
  const unsure = strips.length - lines.length - used.size;
  if (unsure > 0) log(`${unsure} of ${strips.length} lines gave no text or too unsure a text`);
  const { width, height, dpi } = page;
  return {
    size: { width, height, ...(dpi === undefined ? {} : { dpi }) },
    lines,
    others: others(found),
    unread: length === 0 ? 0 : unreadLength / length,
  };
}

function asPage({ size, lines, others: rest }: ReadPage, zones: readonly Box[] | undefined): Page {
  return { ...size, regions: zones ? inZones(lines, zones) : [...asRegions(lines), ...rest] };
}

/** Whether a line may lie in a zone. The box of its words, which decides, is known only after reading. */
function isNear({ baseline, ascent, descent }: FoundLine, zones: readonly Box[]): boolean {
  const [first, last] = [baseline[0], baseline.at(-1)];
  if (!first || !last) return false;
  const away = ascent + descent;
  const [x, y] = [(first.x + last.x) / 2, (first.y + last.y) / 2];
  return zones.some(
    ({ left, top, width, height }) =>
      x > left - away && x < left + width + away && y > top - away && y < top + height + away,
  );
}

function isText(letters: readonly ReadLetter[]): boolean {
  const sure = letters.reduce((sum, { confidence }) => sum + confidence, 0) / letters.length;
  const signs = letters.filter(({ text }) => text !== ' ');
  if (signs.length === 0) return false;
  if (signs.length > fewLetters) return sure >= leastSure;
  const isFew = signs.length <= 2 && !signs.some(({ text }) => /\d/.test(text));
  return sure >= (isFew ? leastSureOfTwo : leastSureOfFew);
}

/** Remnants of a rule between columns look like an l. */
function isPieceOfRule({ box, words }: Line, rules: readonly Box[]): boolean {
  const text = words.map((word) => word.text).join('');
  if (text.length > 2) return false;
  if (/^[|!ſ\p{Punctuation}]+$/u.test(text)) return true;
  const middle = box.left + box.width / 2;
  return rules.some(
    ({ left, width, height }) =>
      height > 4 * box.height && middle > left - box.height && middle < left + width + box.height,
  );
}

/** Lines in given zones, zone by zone. */
function inZones(lines: readonly Line[], zones: readonly Box[]): Region[] {
  return zones.flatMap((zone): Region[] => {
    const inside = lines
      .filter(({ box }) => isInside(box, zone))
      .toSorted((one, other) => one.box.top - other.box.top);
    return inside.length === 0
      ? []
      : [{ kind: 'text', box: zone, paragraphs: [{ box: zone, lines: inside }] }];
  });
}

function isInside({ left, top, width, height }: Box, zone: Box): boolean {
  const [x, y] = [left + width / 2, top + height / 2];
  return x >= zone.left && x < zone.left + zone.width && y >= zone.top && y < zone.top + zone.height;
}

function others({ rules, pictures }: FoundLines): Region[] {
  return [
    ...pictures.map((box): Region => ({ kind: 'image', box, paragraphs: [] })),
    ...rules.map((box): Region => ({ kind: 'separator', box, paragraphs: [] })),
  ];
}
