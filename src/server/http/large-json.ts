import { setImmediate } from 'node:timers/promises';
import { PismakError } from '../../engine/ground/errors.ts';
import { endOfString } from './json-shape.ts';

/** Parsed at once: about 5 ms, at worst 20. */
export const pieceBytes = 256 * 1024;
/** Text is cheaper: about 5 ms. */
const textBytes = 512 * 1024;
/** No input has large lists deeper than this; what is large there is parsed at once. */
const deepest = 5;

const [quote, backslash, comma, colon, letterU, openBracket, closeBracket, openBrace, closeBrace] =
  Buffer.from('"\\,:u[]{}');

/** Members between brackets: several small ones together, or a large one. */
interface Group {
  from: number;
  to: number;
  isLarge: boolean;
}

/**
 * Parses JSON in pieces and gives way to others between them: elements of large lists, fields of large objects, parts of long
 * texts. Throws what `parse` throws. The depth must have been checked.
 */
export async function parseLargeJson(json: Buffer, parse: (text: string) => unknown): Promise<unknown> {
  return new LargeJson(json, parse).value(0, json.length, 1);
}

class LargeJson {
  readonly #json: Buffer;
  readonly #parse: (text: string) => unknown;

  constructor(json: Buffer, parse: (text: string) => unknown) {
    this.#json = json;
    this.#parse = parse;
  }

  async value(from: number, to: number, depth: number): Promise<unknown> {
    const json = this.#json;
    let [start, end] = [from, to];
    while (start < end && isSpace(json[start])) start++;
    while (end > start && isSpace(json[end - 1])) end--;
    const [first, last] = [json[start], json[end - 1]];
    if (end - start > textBytes && first === quote) return this.#text(start, end);
    if (end - start > pieceBytes && depth < deepest) {
      if (first === openBracket && last === closeBracket) return this.#list(start + 1, end - 1, depth);
      if (first === openBrace && last === closeBrace) return this.#object(start + 1, end - 1, depth);
    }
    return this.#piece(start, end);
  }

  async #list(from: number, to: number, depth: number): Promise<unknown[]> {
    const all: unknown[] = [];
    for (const group of this.#groups(from, to)) {
      if (group.isLarge) all.push(await this.value(group.from, group.to, depth + 1));
      else for (const one of filled(await this.#piece(group.from, group.to, '[', ']'))) all.push(one);
    }
    return all;
  }

  async #object(from: number, to: number, depth: number): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {};
    for (const group of this.#groups(from, to)) {
      if (!group.isLarge) {
        const some = await this.#piece(group.from, group.to, '{', '}');
        filled(Object.keys(some as object));
        Object.assign(all, some);
        continue;
      }
      const colonAt = this.#colonAfterName(group.from, group.to);
      // Parsed with a value, so that names like __proto__ are refused.
      const named = await this.#piece(group.from, colonAt, '{', ':0}');
      for (const name of Object.keys(named as object))
        all[name] = await this.value(colonAt + 1, group.to, depth + 1);
    }
    return all;
  }

  #colonAfterName(from: number, to: number): number {
    const json = this.#json;
    let at = from;
    while (at < to && isSpace(json[at])) at++;
    if (json[at] === quote) at = endOfString(json, at + 1) + 1;
    while (at < to && isSpace(json[at])) at++;
    if (json[at] !== colon) throw broken('a name is not followed by a colon');
    return at;
  }

  /** Cuts what stands between brackets at its commas. */
  *#groups(from: number, to: number): Generator<Group> {
    const json = this.#json;
    let depth = 0;
    let group = from;
    let member = from;
    for (let at = from; at <= to; at++) {
      const byte = at < to ? json[at] : comma;
      if (byte === quote) at = endOfString(json, at + 1);
      else if (byte === openBracket || byte === openBrace) depth++;
      else if (byte === closeBracket || byte === closeBrace) depth--;
      if (depth < 0 || at > to) break;
      if (byte !== comma || (depth > 0 && at < to)) continue;
      if (at - member > pieceBytes) {
        if (member > group) yield { from: group, to: member - 1, isLarge: false };
        yield { from: member, to: at, isLarge: true };
        group = at + 1;
      } else if (at - group > pieceBytes || (at === to && group <= to)) {
        yield { from: group, to: at, isLarge: false };
        group = at + 1;
      }
      member = at + 1;
    }
    if (depth !== 0 || member <= to) throw broken('its brackets do not match');
  }

  /** A long text, cut where no character and no escape is torn. */
  async #text(from: number, to: number): Promise<string> {
    if (this.#json[to - 1] !== quote) throw broken('a text is not closed');
    const parts: string[] = [];
    for (let start = from + 1; start < to - 1; ) {
      let end = Math.min(start + textBytes, to - 1);
      while (end < to - 1 && end > start + 1 && this.#isTorn(end)) end--;
      parts.push((await this.#piece(start, end, '"', '"')) as string);
      start = end;
    }
    return parts.join('');
  }

  #isTorn(at: number): boolean {
    const json = this.#json;
    if (((json[at] ?? 0) & 0xc0) === 0x80 || this.#endsEscape(at)) return true;
    for (let back = 1; back <= 4; back++)
      if (json[at - back] === letterU && this.#endsEscape(at - back)) return true;
    return false;
  }

  /** Whether an odd number of backslashes stands before this place: the last one escapes what is there. */
  #endsEscape(at: number): boolean {
    let slashes = 0;
    while (this.#json[at - 1 - slashes] === backslash) slashes++;
    return slashes % 2 === 1;
  }

  async #piece(from: number, to: number, before = '', after = ''): Promise<unknown> {
    await setImmediate();
    return this.#parse(`${before}${this.#json.toString('utf8', from, to)}${after}`);
  }
}

/** Without anything between two commas, or before or after one, a piece would be empty. */
function filled<List extends readonly unknown[]>(list: unknown): List {
  if ((list as List).length === 0) throw broken('there is a comma too many');
  return list as List;
}

function broken(why: string): PismakError {
  return new PismakError('invalid-input', `the request could not be read: the JSON is broken: ${why}`);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
