import { setImmediate } from 'node:timers/promises';
import { PismakError } from '../../engine/ground/errors.ts';

/** No operation takes input that is nested more than a few levels deep. */
export const deepestJson = 32;

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = Buffer.from('"\\,[]{}');

/** Looked at without giving way to others: a few milliseconds. */
const bytesPerTurn = 2 ** 20;

/**
 * Refuses JSON that would be expensive to parse and to check: deep nesting, or very many values. One pass over the bytes,
 * about 2 ms per MB at worst; parsing 1 MB of `{},{},...` takes 80 ms, and of `[[[...` 60 ms.
 */
export async function checkJsonShape(json: Uint8Array, mostValues: number): Promise<void> {
  let depth = 0;
  let values = 1;
  let turn = bytesPerTurn;
  for (let at = 0; at < json.length; at++) {
    if (at >= turn) {
      await setImmediate();
      turn = at + bytesPerTurn;
    }
    const byte = json[at];
    if (byte === quote) at = endOfString(json, at + 1);
    else if (byte === openBracket || byte === openBrace) {
      if (++depth > deepestJson) {
        throw new PismakError('invalid-input', `the JSON is nested more than ${deepestJson} levels deep`);
      }
      values++;
    } else if (byte === closeBracket || byte === closeBrace) depth--;
    else if (byte === comma) values++;
    else continue;
    if (values > mostValues) {
      throw new PismakError('too-large', `the JSON has more than ${mostValues} values; send fewer at once`);
    }
  }
}

/**
 * Strings may hold long Base64, so after the first bytes a native search finds the end. It costs as much as 100 bytes do one by one,
 * so after a quote that is escaped more of them are read so.
 */
export function endOfString(json: Uint8Array, start: number): number {
  let at = start;
  for (let few = 32; ; few = 256) {
    for (const near = at + few; at < near && at < json.length; at++) {
      if (json[at] === backslash) at++;
      else if (json[at] === quote) return at;
    }
    const end = json.indexOf(quote as number, at);
    if (end < 0) return json.length;
    let escapes = 0;
    while (end - 1 - escapes >= at && json[end - 1 - escapes] === backslash) escapes++;
    if (escapes % 2 === 0) return end;
    at = end + 1;
  }
}
