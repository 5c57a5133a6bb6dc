import { PismakError } from '../../../engine/errors.ts';
import { openCompoundFile } from './compound-file.ts';
import { type Converted, linksIn, longestText } from './converted.ts';

/** Word 97 to 2003: the text lies in pieces, and a table says where each is and how it is written. */
export function readDoc(bytes: Uint8Array): Converted {
  try {
    const file = openCompoundFile(bytes);
    const document = file.stream('WordDocument');
    if (document === undefined || document.readUInt16LE(0) !== 0xa5ec)
      throw new RangeError('no Word document inside');
    const flags = document.readUInt16LE(10);
    if ((flags & 0x0100) !== 0) throw new RangeError('it is encrypted');
    const table = file.stream((flags & 0x0200) !== 0 ? '1Table' : '0Table');
    if (table === undefined) throw new RangeError('its table is missing');
    // The document itself, then its footnotes.
    const characters = document.readInt32LE(0x4c) + document.readInt32LE(0x50);
    const raw = readPieces(document, table, characters);
    const { text, links } = withoutFields(raw);
    const plain = tidy(text);
    return { kind: 'doc', text: plain, links: [...new Set([...links, ...linksIn(plain)])] };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new PismakError('invalid-input', `the Word document can not be read: ${cause.message}`, { cause });
  }
}

function readPieces(document: Buffer, table: Buffer, characters: number): string {
  const start = document.readUInt32LE(0x1a2);
  const clx = table.subarray(start, start + document.readUInt32LE(0x1a6));
  let at = 0;
  while (clx.readUInt8(at) === 1) at += 3 + clx.readUInt16LE(at + 1);
  if (clx.readUInt8(at) !== 2) throw new RangeError('its table of pieces is missing');
  const pieces = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.floor((pieces.length - 4) / 12);
  let text = '';
  for (let piece = 0; piece < count && text.length < Math.min(characters, longestText); piece += 1) {
    const length = pieces.readUInt32LE(4 * piece + 4) - pieces.readUInt32LE(4 * piece);
    const place = pieces.readUInt32LE(4 * (count + 1) + 8 * piece + 2);
    const offset = place & 0x3fffffff;
    text +=
      (place & 0x40000000) !== 0
        ? narrow.decode(document.subarray(offset / 2, offset / 2 + length))
        : document.toString('utf16le', offset, offset + 2 * length);
  }
  return text.slice(0, characters);
}

const narrow = new TextDecoder('windows-1252');

/** A field has instructions, perhaps a mark and its result, which alone is text. Instructions of links hold the address. */
function withoutFields(raw: string): { text: string; links: string[] } {
  const links: string[] = [];
  let text = '';
  let instructions = '';
  /** For each open field, whether its result has begun. */
  const open: boolean[] = [];
  for (const character of raw) {
    if (character === '\x13') open.push(false);
    else if (character === '\x14' && open.length > 0) {
      open[open.length - 1] = true;
      const [, url] = /HYPERLINK\s+"(https?:[^"]+)"/.exec(instructions) ?? [];
      if (url !== undefined) links.push(url);
      instructions = '';
    } else if (character === '\x15') open.pop();
    else if (open.includes(false)) instructions += character;
    else text += character;
  }
  return { text, links };
}

function tidy(text: string): string {
  return text
    .replaceAll('\x07\x07', '\n')
    .replaceAll('\x07', '\t')
    .replaceAll(/\r/g, '\n\n')
    .replaceAll(/[\v\f]/g, '\n')
    .replaceAll('\x1e', '-')
    .replaceAll('\xa0', ' ')
    .replaceAll(/(?![\t\n])\p{Cc}|\xad/gu, '')
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .toWellFormed()
    .trim();
}
