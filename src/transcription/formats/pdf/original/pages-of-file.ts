import { numberOf, type PdfFile } from './pdf-file.ts';
import { isList, isReference, type PdfDictionary, type PdfReference, type PdfValue } from './pdf-value.ts';

/** A page of a PDF, with what it inherits. */
export interface OriginalPage {
  reference: PdfReference;
  dictionary: PdfDictionary;
  resources: PdfDictionary;
  fonts: PdfDictionary;
  contents: readonly PdfValue[];
  /** What readers show: left, bottom, right, top, in points. */
  box: readonly [number, number, number, number];
  /** How far readers turn it, clockwise. */
  rotate: 0 | 90 | 180 | 270;
}

const inherited = ['/Resources', '/MediaBox', '/CropBox', '/Rotate'];
const mostPages = 100_000;
const a4 = [0, 0, 595, 842] as const;

/** The pages of a PDF in order. */
export function* pagesOfFile(file: PdfFile): Generator<OriginalPage> {
  const root = file.dictionary(file.trailer.get('/Root'));
  const seen = new Set<number>();
  yield* visit(root?.get('/Pages'), new Map());

  function* visit(node: PdfValue | undefined, from: PdfDictionary): Generator<OriginalPage> {
    if (!isReference(node)) return;
    if (seen.has(node.object)) throw new Error('its pages go in circles');
    seen.add(node.object);
    if (node.generation !== 0) throw new Error('a page of it has replaced a deleted one');
    if (seen.size > 2 * mostPages) throw new Error('it has too many pages');
    const dictionary = file.dictionary(node);
    if (!dictionary) return;
    const all = new Map(from);
    for (const key of inherited) {
      const value = dictionary.get(key);
      if (value !== undefined) all.set(key, value);
    }
    const kids = file.resolve(dictionary.get('/Kids'));
    if (isList(kids)) for (const kid of kids) yield* visit(kid, all);
    else yield describe(file, node, dictionary, all);
  }
}

function describe(
  file: PdfFile,
  reference: PdfReference,
  dictionary: PdfDictionary,
  all: PdfDictionary,
): OriginalPage {
  const media = boxOf(file, all.get('/MediaBox')) ?? a4;
  const crop = boxOf(file, all.get('/CropBox')) ?? media;
  const box = [
    Math.max(media[0], crop[0]),
    Math.max(media[1], crop[1]),
    Math.min(media[2], crop[2]),
    Math.min(media[3], crop[3]),
  ] as const;
  const resources = file.dictionary(all.get('/Resources')) ?? new Map();
  const contents = dictionary.get('/Contents');
  const resolved = file.resolve(contents);
  const quarters = Math.round((numberOf(file.resolve(all.get('/Rotate'))) ?? 0) / 90);
  return {
    reference,
    dictionary,
    resources,
    fonts: file.dictionary(resources.get('/Font')) ?? new Map(),
    contents: contents === undefined ? [] : isList(resolved) ? resolved : [contents],
    box: box[2] > box[0] && box[3] > box[1] ? box : media,
    rotate: ([0, 90, 180, 270] as const)[((quarters % 4) + 4) % 4] ?? 0,
  };
}

function boxOf(
  file: PdfFile,
  value: PdfValue | undefined,
): readonly [number, number, number, number] | undefined {
  const list = file.resolve(value);
  if (!isList(list)) return undefined;
  const [a, b, c, d] = list.map((side) => numberOf(file.resolve(side)));
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
}
