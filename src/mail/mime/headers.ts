import { PismakError } from '../../engine/ground/errors.ts';
import { type Contact, wireAddress } from '../model/address.ts';

/** A header field; its value may be folded with CRLF and white space. */
export type Header = readonly [name: string, value: string];

/** With the name of the header before it, a line has at most 76 characters, which RFC 2047 asks for. */
const longestLine = 66;
const bytesPerWord = 39;

/** Refuses line breaks, which would start another header: the last guard for values of any origin. */
export function header(name: string, value: string): Header {
  if (/[\r\n\0]/.test(value) && /[\r\n\0]/.test(value.replaceAll('\r\n ', '')))
    throw new PismakError(
      'invalid-input',
      `${name} would contain a line break: ${JSON.stringify(value.slice(0, 80))}`,
    );
  return [name, value];
}

/** Header text: plain ASCII unchanged, anything else as encoded words (RFC 2047). */
export function encodedText(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && text.length < 760) return folded(text);
  const words: string[] = [];
  let word = '';
  let bytes = 0;
  for (const character of text) {
    const size = utf8Bytes(character);
    if (bytes + size > bytesPerWord) {
      words.push(word);
      word = '';
      bytes = 0;
    }
    word += character;
    bytes += size;
  }
  words.push(word);
  return words.map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ');
}

function utf8Bytes(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

export function encodedContact({ name, address }: Contact): string {
  const onWire = wireAddress(address);
  if (name === undefined) return onWire;
  const isPlain = /^[A-Za-z0-9 !#$%&'*+/=?^_`{|}~-]*$/.test(name) && !name.includes('=?');
  const isQuotable = /^[\x20-\x7e]*$/.test(name);
  const shown = isPlain ? name : isQuotable ? `"${name.replaceAll(/["\\]/g, '\\$&')}"` : encodedText(name);
  const isLong = shown.length - shown.lastIndexOf('\n') + onWire.length > longestLine;
  return `${shown}${isLong ? '\r\n' : ''} <${onWire}>`;
}

export function writeHeaders(headers: readonly Header[]): string {
  let text = '';
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return text;
}

/** Folds long lines at spaces to stay within the limits of servers. */
function folded(text: string): string {
  if (text.length <= longestLine) return text;
  const lines = [''];
  for (const word of text.split(/(?<! ) /)) {
    const last = lines.length - 1;
    const line = lines[last] ?? '';
    if (line !== '' && line.length + word.length + 1 > longestLine) lines.push(word);
    else lines[last] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join('\r\n ');
}
