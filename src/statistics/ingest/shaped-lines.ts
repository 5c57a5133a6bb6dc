import { parseMoment } from './parse-moment.ts';

/** An event whose line has a known shape. One object serves all lines of a shape. */
export interface UsualEvent {
  kind: string;
  user: string | number;
  entity: string | number;
  split: string;
  /** In ms; NaN if it is not a valid time. */
  at: number;
  /** Names of the dimensions, always the same list for a shape. */
  readonly dimensions: readonly string[];
  readonly amounts: number[];
}

/** `{"id":` or `,"clicks":`, and for texts the quote. */
interface Field {
  prefix: string;
  isText: boolean;
  role: 'id' | 'kind' | 'user' | 'entity' | 'split' | 'at' | 'amount';
  /** Index of an amount. */
  place: number;
  /** The value in the previous line: kinds and splits repeat, and maps find the same string object faster. */
  before: string;
}

interface Shape {
  fields: Field[];
  event: UsualEvent;
}

const mostShapes = 8;
const token = /([{,])"([A-Za-z]\w*)":(?:"([^"\\]*)"|-?(?:0|[1-9]\d*))/y;
const needed = ['kind', 'user', 'entity', 'split', 'at'];
const unusual = ['day', 'dimensions'];

/**
 * Reads lines of NDJSON that have the same fields in the same order as an earlier one, with plain texts and whole numbers only: what
 * programs write. `JSON.parse` took 40% of the time of ingesting. Any other line is left to `JSON.parse`.
 */
export class ShapedLines {
  readonly #shapes: Shape[] = [];

  /** The event in `text` from `from` to `end`; undefined if the line must be parsed. It is overwritten by the next one. */
  read(text: string, from: number, end: number): UsualEvent | undefined {
    for (const shape of this.#shapes) if (readFields(shape, text, from, end)) return shape.event;
    return undefined;
  }

  /** Remembers the shape of a line that `JSON.parse` took, if it is a plain one. */
  learn(line: string): void {
    if (this.#shapes.length >= mostShapes) return;
    const shape = shapeOf(line);
    if (shape) this.#shapes.push(shape);
  }
}

function shapeOf(line: string): Shape | undefined {
  const fields: Field[] = [];
  const names = new Set<string>();
  const dimensions: string[] = [];
  token.lastIndex = 0;
  for (let at = 0; at < line.length; at = token.lastIndex) {
    const found = token.exec(line);
    if (!found) {
      if (!/^}\r?$/.test(line.slice(at)) || !needed.every((name) => names.has(name))) return undefined;
      const event = { kind: '', user: '', entity: '', split: '', at: 0, dimensions, amounts: [] };
      return dimensions.length > 0 ? { fields, event } : undefined;
    }
    const [, before = '', name = '', words] = found;
    if ((before === '{') !== (at === 0) || names.has(name) || unusual.includes(name)) return undefined;
    names.add(name);
    const isText = words !== undefined;
    const role = name === 'id' || needed.includes(name) ? (name as Field['role']) : 'amount';
    if (role === 'amount' && isText) return undefined;
    if ((role === 'kind' || role === 'split') && !isText) return undefined;
    const place = role === 'amount' ? dimensions.push(name) - 1 : 0;
    fields.push({ prefix: `${before}"${name}":${isText ? '"' : ''}`, isText, role, place, before: '' });
  }
  return undefined;
}

const [quote, backslash, minus, zero, closing, carriageReturn] = [34, 92, 45, 48, 125, 13];

function readFields({ fields, event }: Shape, text: string, from: number, end: number): boolean {
  let at = from;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as Field;
    const { prefix, role } = field;
    if (!text.startsWith(prefix, at)) return false;
    at += prefix.length;
    if (field.isText) {
      const close = endOfText(text, at, end, field.before);
      if (close < 0) return false;
      if (role === 'at') event.at = parseMoment(text, at, close);
      else if (role !== 'id') {
        if (close - at !== field.before.length || !text.startsWith(field.before, at))
          field.before = text.slice(at, close);
        if (role !== 'amount') event[role] = field.before;
      }
      at = close + 1;
      continue;
    }
    const after = endOfNumber(text, at);
    if (after < 0) return false;
    const number = numberAt(text, at, after);
    if (role === 'amount') event.amounts[field.place] = number;
    else if (role === 'at' || role === 'user' || role === 'entity') event[role] = number;
    at = after;
  }
  if (text.charCodeAt(at) !== closing) return false;
  return at + 1 === end || (at + 2 === end && text.charCodeAt(at + 1) === carriageReturn);
}

/** Where the closing quote is; -1 if the text has escapes or characters that JSON does not allow. */
function endOfText(text: string, from: number, end: number, before: string): number {
  if (before !== '' && text.charCodeAt(from + before.length) === quote && text.startsWith(before, from))
    return from + before.length;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at;
    if (code === backslash || code < 32) return -1;
  }
  return -1;
}

/** Where a whole number of at most 15 digits ends; -1 if there is none. */
function endOfNumber(text: string, from: number): number {
  const first = text.charCodeAt(from) === minus ? from + 1 : from;
  let at = first;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - zero;
    if (digit < 0 || digit > 9) break;
  }
  const digits = at - first;
  if (digits === 0 || digits > 15) return -1;
  // 007 is not valid JSON, and -0 is not 0.
  return text.charCodeAt(first) === zero && (digits > 1 || first > from) ? -1 : at;
}

function numberAt(text: string, from: number, end: number): number {
  const isNegative = text.charCodeAt(from) === minus;
  let number = 0;
  for (let at = isNegative ? from + 1 : from; at < end; at++)
    number = 10 * number + text.charCodeAt(at) - zero;
  return isNegative ? -number : number;
}
