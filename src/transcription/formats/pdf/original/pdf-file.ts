import { inflateSync } from 'node:zlib';
import type { FileBytes } from '../../../image/file-bytes.ts';
import {
  IncompleteValue,
  isDictionary,
  isList,
  isReference,
  type PdfDictionary,
  type PdfValue,
  parseValue,
  skipSpace,
} from './pdf-value.ts';
import { unpredict } from './predictor.ts';

/** Where an object is: at an offset of the file, or within a stream of objects. */
type Place = { offset: number } | { stream: number; index: number };

interface PdfObject {
  value: PdfValue;
  /** Where its stream begins, if it has one. */
  stream?: number;
}

/** More is not a dictionary but an attack. */
const mostValueBytes = 16 * 1024 * 1024;
const mostInflated = 64 * 1024 * 1024;
const mostSections = 1000;
/** The standard allows no more. */
const mostObjects = 8_388_607;

/**
 * Reads the objects of a PDF, to add to it without changing it. Every error says in what way the file is damaged or unusual. The
 * PDF library could read it too, but it writes a page anew to add anything to it.
 */
export class PdfFile {
  readonly #bytes: FileBytes;
  readonly #places = new Map<number, Place>();
  readonly #streams = new Map<number, { text: string; offsets: readonly number[] }>();
  /** Bytes that may still be parsed: objects that lie within each other would cost far more than the file has. */
  #budget: number;
  /** The dictionary at the end of the file. */
  readonly trailer: PdfDictionary;
  /** Where the table of objects begins. */
  readonly table: number;
  /** The table is a stream, as it may be since PDF 1.5. */
  readonly tableIsStream: boolean;

  constructor(bytes: FileBytes) {
    this.#bytes = bytes;
    this.#budget = 8 * bytes.size + mostInflated;
    const tail = this.#text(Math.max(0, bytes.size - 2048), 2048);
    const [, start] = /startxref\s+(\d+)\s+%%EOF(?![\s\S]*startxref)/.exec(tail) ?? [];
    if (start === undefined) throw new Error('its end is missing');
    this.table = Number(start);
    let next: number | undefined = this.table;
    let newest: PdfDictionary | undefined;
    const seen = new Set<number>();
    while (next !== undefined && !seen.has(next) && seen.size < mostSections) {
      seen.add(next);
      const section = this.#readTable(next);
      newest ??= section;
      const hybrid = numberOf(section.get('/XRefStm'));
      if (hybrid !== undefined && !seen.has(hybrid)) {
        seen.add(hybrid);
        this.#readTable(hybrid);
      }
      next = numberOf(section.get('/Prev'));
    }
    if (!newest) throw new Error('its table of objects is missing');
    this.trailer = newest;
    this.tableIsStream = newest.has('/W');
  }

  /** The value itself, or that of the object it refers to. */
  resolve(value: PdfValue | undefined): PdfValue | undefined {
    for (let step = 0, found = value; step < 10; step++) {
      if (!isReference(found)) return found;
      found = this.object(found.object)?.value;
    }
    throw new Error('its references go in circles');
  }

  dictionary(value: PdfValue | undefined): PdfDictionary | undefined {
    const found = this.resolve(value);
    return isDictionary(found) ? found : undefined;
  }

  object(number: number): PdfObject | undefined {
    const place = this.#places.get(number);
    if (!place) return undefined;
    return 'offset' in place
      ? this.#objectAt(place.offset, number)
      : this.#objectIn(place.stream, place.index);
  }

  #objectAt(offset: number, number?: number): PdfObject {
    for (let length = 4096; ; length *= 8) {
      const text = this.#text(offset, length);
      const isWhole = offset + text.length >= this.#bytes.size;
      try {
        const [head, found] =
          /^[\0\t\n\f\r ]*(\d{1,10})[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj/.exec(text) ?? [];
        if (head === undefined || (number !== undefined && Number(found) !== number))
          throw new Error(`object ${number ?? ''} is not where its table says`);
        const { value, end } = parseValue(text, head.length);
        this.#spend(end);
        const after = skipSpace(text, end);
        if (after + 8 >= text.length && !isWhole) throw new IncompleteValue();
        const [keyword] = /^stream(?:\r\n|\n|\r)/.exec(text.slice(after, after + 8)) ?? [];
        return keyword === undefined ? { value } : { value, stream: offset + after + keyword.length };
      } catch (error) {
        if (!(error instanceof IncompleteValue)) throw error;
        this.#spend(text.length);
        if (isWhole || length > mostValueBytes) throw new Error('an object has no end', { cause: error });
      }
    }
  }

  #objectIn(stream: number, index: number): PdfObject {
    let known = this.#streams.get(stream);
    if (!known) {
      const object = this.object(stream);
      const header = isDictionary(object?.value) ? object.value : undefined;
      if (!object || !header) throw new Error('a stream of objects is missing');
      const text = `${this.#content(object, header).toString('latin1')} `;
      this.#spend(text.length);
      const first = numberOf(this.resolve(header.get('/First'))) ?? 0;
      const numbers = text.slice(0, first).trim().split(/\s+/).map(Number);
      const offsets = numbers.filter((_, at) => at % 2 === 1).map((offset) => offset + first);
      known = { text, offsets };
      if (this.#streams.size > 20) this.#streams.clear();
      this.#streams.set(stream, known);
    }
    const offset = known.offsets[index];
    if (offset === undefined) throw new Error('an object is missing from its stream');
    const { value, end } = parseValue(known.text, offset);
    this.#spend(end - offset);
    return { value };
  }

  #spend(bytes: number): void {
    this.#budget -= bytes;
    if (this.#budget < 0) throw new Error('its objects overlap');
  }

  /** The decoded stream of an object. */
  #content({ stream }: PdfObject, header: PdfDictionary): Buffer {
    const length = numberOf(this.resolve(header.get('/Length')));
    if (stream === undefined || length === undefined || length > mostInflated)
      throw new Error('a stream is damaged');
    const bytes = this.#bytes.read(stream, length);
    if (!bytes) throw new Error('a stream is cut short');
    const filters = this.#list(header.get('/Filter'));
    if (filters.length === 0) return Buffer.from(bytes);
    if (filters.length > 1 || filters[0] !== '/FlateDecode')
      throw new Error(`its objects are packed in an unusual way (${filters.join(' ')})`);
    const inflated = inflateSync(bytes, { maxOutputLength: mostInflated });
    const parameters = this.dictionary(this.#list(header.get('/DecodeParms'))[0]);
    const of = (key: string) => numberOf(this.resolve(parameters?.get(key))) ?? 1;
    return of('/Predictor') >= 10 ? unpredict(inflated, of('/Columns')) : inflated;
  }

  #list(value: PdfValue | undefined): readonly PdfValue[] {
    const found = this.resolve(value);
    return found === undefined || found === 'null' ? [] : isList(found) ? found : [found];
  }

  /** Reads one table of objects, newest first: what is known already stays. */
  #readTable(offset: number): PdfDictionary {
    const start = this.#text(offset, 32);
    const keyword = /^\s*xref\s*/.exec(start)?.[0];
    if (keyword !== undefined) return this.#readRows(offset + keyword.length);
    const object = this.#objectAt(offset);
    if (!isDictionary(object.value) || object.value.get('/Type') !== '/XRef')
      throw new Error('its table of objects is not where the end of the file says');
    this.#readTableStream(object, object.value);
    return object.value;
  }

  #readRows(start: number): PdfDictionary {
    let at = start;
    for (;;) {
      const text = this.#text(at, 64);
      const trailer = /^\s*trailer/.exec(text)?.[0];
      if (trailer !== undefined) return this.#trailerAt(at + trailer.length);
      const [head, first, count] = /^\s*(\d{1,10})[ \t]+(\d{1,10})[ \t]*(?:\r\n|\n|\r)/.exec(text) ?? [];
      if (head === undefined || Number(count) > mostObjects)
        throw new Error('its table of objects is damaged');
      at += head.length;
      const rows = this.#text(at, Number(count) * 20);
      for (let row = 0; row < Number(count); row++) {
        const [, offset, kind] = /^(\d{10}) \d{5} ([nf])/.exec(rows.slice(row * 20, row * 20 + 20)) ?? [];
        if (offset === undefined) throw new Error('a row in its table of objects is damaged');
        const number = Number(first) + row;
        if (kind === 'n' && !this.#places.has(number)) this.#places.set(number, { offset: Number(offset) });
        else if (kind === 'f' && !this.#places.has(number))
          this.#places.set(number, { offset: this.#bytes.size });
      }
      at += Number(count) * 20;
    }
  }

  #trailerAt(at: number): PdfDictionary {
    const { value } = parseValue(`${this.#text(at, 64 * 1024)} `, 0);
    if (!isDictionary(value)) throw new Error('its trailer is damaged');
    return value;
  }

  #readTableStream(object: PdfObject, header: PdfDictionary): void {
    const rows = this.#content(object, header);
    const widths = this.#list(header.get('/W')).map((value) => numberOf(value) ?? 0);
    const [kindWidth = 0, placeWidth = 0, indexWidth = 0] = widths;
    const rowWidth = kindWidth + placeWidth + indexWidth;
    if (widths.some((width) => width < 0 || width > 6) || rowWidth < 1)
      throw new Error('its table of objects is damaged');
    const sections = this.#list(header.get('/Index')).map((value) => numberOf(value) ?? 0);
    if (sections.length === 0) sections.push(0, numberOf(header.get('/Size')) ?? 0);
    let at = 0;
    for (let section = 0; section + 1 < sections.length; section += 2) {
      const [first = 0, count = 0] = sections.slice(section, section + 2);
      for (let row = 0; row < count && at + rowWidth <= rows.length; row++, at += rowWidth) {
        const field = (from: number, width: number) =>
          width === 0 ? undefined : rows.readUIntBE(at + from, width);
        const kind = field(0, kindWidth) ?? 1;
        const place = field(kindWidth, placeWidth) ?? 0;
        const index = field(kindWidth + placeWidth, indexWidth) ?? 0;
        if (this.#places.has(first + row)) continue;
        if (kind === 2) this.#places.set(first + row, { stream: place, index });
        else this.#places.set(first + row, { offset: kind === 1 ? place : this.#bytes.size });
      }
    }
  }

  #text(at: number, length: number): string {
    const some = Math.max(0, Math.min(length, this.#bytes.size - at));
    return this.#bytes.read(at, some)?.toString('latin1') ?? '';
  }
}

export function numberOf(value: PdfValue | undefined): number | undefined {
  const number = typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
