/**
 * A value of a PDF. Names, strings, numbers and keywords are kept as they stand in the file, so that writing a value gives what
 * was read.
 */
export type PdfValue = string | PdfReference | readonly PdfValue[] | PdfDictionary;

/** By key, with its slash. */
export type PdfDictionary = ReadonlyMap<string, PdfValue>;

export interface PdfReference {
  object: number;
  generation: number;
}

/** The text ends before the value does. */
export class IncompleteValue extends Error {}

const deepest = 100;
/** A comment reaches to the end of its line. */
const space = /[\0\t\n\f\r ]*(?:%[^\n\r]*[\n\r][\0\t\n\f\r ]*)*(?:%[^\n\r]*)?/y;
const plain = /[^\0\t\n\f\r ()<>[\]{}/%]+/y;
const name = /\/[^\0\t\n\f\r ()<>[\]{}/%]*/y;
const reference = /(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+R(?![^\0\t\n\f\r ()<>[\]{}/%])/y;

/** Reads the value at a place of a text in Latin 1, and where it ends. */
export function parseValue(text: string, start: number, depth = 0): { value: PdfValue; end: number } {
  const at = skipSpace(text, start);
  if (at >= text.length) throw new IncompleteValue();
  if (depth > deepest) throw new Error('its values are nested too deeply');
  if (text.startsWith('<<', at)) return dictionary(text, at + 2, depth);
  const first = text.charAt(at);
  if (first === '[') return list(text, at + 1, depth);
  if (first === '(') return literal(text, at);
  if (first === '<') return upTo(text, at, text.indexOf('>', at) + 1);
  if (first === '/') return matched(text, at, name);
  const found = matchAt(reference, text, at);
  if (found) {
    const value = { object: Number(found[1]), generation: Number(found[2]) };
    return { value, end: at + found[0].length };
  }
  return matched(text, at, plain);
}

export function skipSpace(text: string, start: number): number {
  return start + (matchAt(space, text, start)?.[0].length ?? 0);
}

export function writeValue(value: PdfValue): string {
  if (typeof value === 'string') return value;
  if (isReference(value)) return `${value.object} ${value.generation} R`;
  if (isDictionary(value))
    return `<< ${[...value].map(([key, of]) => `${key} ${writeValue(of)}`).join(' ')} >>`;
  return `[${value.map(writeValue).join(' ')}]`;
}

export function isReference(value: PdfValue | undefined): value is PdfReference {
  return typeof value === 'object' && 'generation' in value;
}

export function isDictionary(value: PdfValue | undefined): value is PdfDictionary {
  return value instanceof Map;
}

export function isList(value: PdfValue | undefined): value is readonly PdfValue[] {
  return Array.isArray(value);
}

function dictionary(text: string, start: number, depth: number) {
  const value = new Map<string, PdfValue>();
  for (let at = skipSpace(text, start); ; at = skipSpace(text, at)) {
    if (text.startsWith('>>', at)) return { value, end: at + 2 };
    const key = parseValue(text, at, depth + 1);
    if (typeof key.value !== 'string' || !key.value.startsWith('/'))
      throw new Error('a dictionary is damaged');
    const of = parseValue(text, key.end, depth + 1);
    value.set(key.value, of.value);
    at = of.end;
  }
}

function list(text: string, start: number, depth: number) {
  const value: PdfValue[] = [];
  for (let at = skipSpace(text, start); ; at = skipSpace(text, at)) {
    if (text.charAt(at) === ']') return { value, end: at + 1 };
    const of = parseValue(text, at, depth + 1);
    value.push(of.value);
    at = of.end;
  }
}

/** `(a (nested) \) string)` */
function literal(text: string, start: number) {
  let open = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '(') open++;
    else if (character === ')' && --open === 0) return upTo(text, start, at + 1);
  }
  throw new IncompleteValue();
}

function upTo(text: string, start: number, end: number): { value: string; end: number } {
  if (end <= start) throw new IncompleteValue();
  return { value: text.slice(start, end), end };
}

function matched(text: string, at: number, expression: RegExp): { value: string; end: number } {
  const [value] = matchAt(expression, text, at) ?? [];
  if (value === undefined) throw new Error(`there is a stray ${JSON.stringify(text.charAt(at))}`);
  // It may go on.
  if (at + value.length >= text.length) throw new IncompleteValue();
  return { value, end: at + value.length };
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}
