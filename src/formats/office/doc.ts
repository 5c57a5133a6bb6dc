import { PismakError } from '../../engine/ground/errors.ts';
import { type Converted, linksIn, longestText, trimLineEnds } from '../converted/converted.ts';
import { codePages } from './code-pages.ts';
import { openCompoundFile } from './compound-file.ts';

/** Word 6 to 2003: the text lies in pieces, and a table says where each is and how it is written. */
export function readDoc(bytes: Uint8Array): Converted {
  try {
    const file = openCompoundFile(bytes);
    if (file.stream('EncryptedPackage') !== undefined) throw new RangeError('it is encrypted');
    const document = file.stream('WordDocument');
    const version = document === undefined || document.length < 12 ? 0 : document.readUInt16LE(0);
    if (document === undefined || (version !== word97 && version !== word95))
      throw new RangeError('no Word document inside');
    const flags = document.readUInt16LE(10);
    if ((flags & 0x0100) !== 0) throw new RangeError('it is encrypted');
    const table = version === word95 ? document : file.stream((flags & 0x0200) !== 0 ? '1Table' : '0Table');
    if (table === undefined) throw new RangeError('its table is missing');
    const raw = version === word95 ? readOldText(document) : readPieces(document, table);
    const { text, links } = withoutFields(raw);
    const plain = tidy(text);
    return { kind: 'doc', text: plain, links: [...new Set([...links, ...linksIn(plain)])] };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new PismakError('invalid-input', `the Word document can not be read: ${cause.message}`, { cause });
  }
}

const word97 = 0xa5ec;
const word95 = 0xa5dc;

function readPieces(document: Buffer, table: Buffer): string {
  // The document itself, then its footnotes.
  const characters = document.readInt32LE(0x4c) + document.readInt32LE(0x50);
  const start = document.readUInt32LE(0x1a2);
  const pieces = piecesIn(table.subarray(start, start + document.readUInt32LE(0x1a6)));
  let text = '';
  for (const { length, place } of pieces) {
    if (text.length >= Math.min(characters, longestText)) break;
    const offset = place & 0x3fffffff;
    text +=
      (place & 0x40000000) !== 0
        ? narrow.decode(document.subarray(offset / 2, offset / 2 + length))
        : document.toString('utf16le', offset, offset + 2 * length);
  }
  return text.slice(0, characters);
}

/** Word 6 and 95: a byte a character, in one piece unless the document was saved in a hurry. */
function readOldText(document: Buffer): string {
  const characters = document.readInt32LE(0x34) + document.readInt32LE(0x38);
  const start = document.readUInt32LE(0x160);
  const isComplex = (document.readUInt16LE(10) & 4) !== 0;
  const clx = isComplex ? document.subarray(start, start + document.readUInt32LE(0x164)) : undefined;
  const pieces = clx ? piecesIn(clx) : [{ place: document.readUInt32LE(0x18), length: characters }];
  const decoder = new TextDecoder(codePageOf(document));
  const most = Math.min(characters, longestText);
  let text = '';
  for (const { place, length } of pieces) {
    // Pieces may overlap.
    if (text.length >= most) break;
    text += decoder.decode(document.subarray(place, place + length));
  }
  return text.slice(0, most);
}

function piecesIn(clx: Buffer): { place: number; length: number }[] {
  let at = 0;
  while (clx.readUInt8(at) === 1) at += 3 + clx.readUInt16LE(at + 1);
  if (clx.readUInt8(at) !== 2) throw new RangeError('its table of pieces is missing');
  const table = clx.subarray(at + 5, at + 5 + clx.readUInt32LE(at + 1));
  const count = Math.max(0, Math.floor((table.length - 4) / 12));
  return Array.from({ length: count }, (_, piece) => ({
    length: table.readUInt32LE(4 * piece + 4) - table.readUInt32LE(4 * piece),
    place: table.readUInt32LE(4 * (count + 1) + 8 * piece + 2),
  }));
}

/** That of the first font that has one: the document itself does not say. */
function codePageOf(document: Buffer): string {
  const start = document.readUInt32LE(0xd0);
  const fonts = document.subarray(start, start + document.readUInt32LE(0xd4));
  for (let at = 2; at + 5 <= fonts.length; at += (fonts[at] as number) + 1) {
    const page = codePages[fonts[at + 4] as number];
    if (page !== undefined) return page;
  }
  return 'windows-1252';
}

const narrow = new TextDecoder('windows-1252');

/** A field has instructions, perhaps a mark and its result, which alone is text. Instructions of links hold the address. */
function withoutFields(raw: string): { text: string; links: string[] } {
  const links: string[] = [];
  let text = '';
  let instructions = '';
  /** For each open field, whether its result has begun, and how many results have not. */
  const open: boolean[] = [];
  let instructing = 0;
  for (const character of raw) {
    if (character === '\x13') {
      open.push(false);
      instructing += 1;
    } else if (character === '\x14' && open.length > 0) {
      if (open[open.length - 1] === false) instructing -= 1;
      open[open.length - 1] = true;
      const [, url] = /HYPERLINK\s+"(https?:[^"]+)"/.exec(instructions) ?? [];
      if (url !== undefined) links.push(url);
      instructions = '';
    } else if (character === '\x15') {
      if (open.pop() === false) instructing -= 1;
    } else if (instructing > 0) instructions += character;
    else text += character;
  }
  return { text, links };
}

function tidy(text: string): string {
  const lines = text
    .replaceAll('\x07\x07', '\n')
    .replaceAll('\x07', '\t')
    .replaceAll(/\r/g, '\n\n')
    .replaceAll(/[\v\f]/g, '\n')
    .replaceAll('\x1e', '-')
    .replaceAll('\xa0', ' ')
    .replaceAll(/(?![\t\n])\p{Cc}|\xad/gu, '');
  return trimLineEnds(lines)
    .replaceAll(/\n{3,}/g, '\n\n')
    .toWellFormed()
    .trim();
}
