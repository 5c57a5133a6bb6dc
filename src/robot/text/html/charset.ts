import { isAscii, isUtf8 } from 'node:buffer';

/** Decoded text, and its detected charset. */
export interface Decoded {
  text: string;
  charset: string;
}

/** The charset of a `Content-Type`, if it names one that can be read. */
export function charsetOf(contentType: string | undefined): string | undefined {
  const [, label] = /charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '') ?? [];
  return label === undefined ? undefined : nameOf(label);
}

/**
 * Tries the byte order mark, the charset asked for, the header, the page's own label, then its bytes. A label counts only if
 * the bytes agree with it: windows-1250 is often called ISO-8859-2, either of them UTF-8, and UTF-8 anything.
 */
export function decodePage(
  bytes: Uint8Array,
  { contentType, charset: forced }: { contentType?: string | undefined; charset?: string | undefined } = {},
): Decoded {
  const mark = markOf(bytes);
  if (mark !== undefined) return { text: decodeAs(mark, bytes), charset: mark };
  const asked = forced === undefined ? undefined : nameOf(forced);
  if (asked !== undefined) return { text: decodeAs(asked, bytes), charset: asked };
  // Every page in UTF-16 begins with characters of ASCII.
  const wide = bytes.subarray(0, 64).includes(0) ? looksLikeUtf16(bytes) : undefined;
  if (wide !== undefined) return { text: decodeAs(wide, bytes), charset: wide };
  const labels = [charsetOf(contentType), labelInside(bytes)];
  for (const label of labels) {
    if (label === undefined) continue;
    if (label === 'utf-8') {
      if (isMostlyUtf8(bytes)) return { text: decodeAs(label, bytes), charset: label };
    } else if (!label.startsWith('utf-16')) {
      const charset = correctedLabel(label, bytes);
      return { text: decodeAs(charset, bytes), charset };
    }
  }
  const charset = guessCharset(bytes);
  return { text: decodeAs(charset, bytes), charset };
}

/** What the bytes look like: UTF-8, UTF-16, windows-1250 or ISO-8859-2. */
export function guessCharset(bytes: Uint8Array): string {
  const wide = looksLikeUtf16(bytes);
  if (wide !== undefined) return wide;
  if (isMostlyUtf8(bytes)) return 'utf-8';
  const { windows, iso, either } = signsOf(bytes);
  return iso + either > windows ? 'iso-8859-2' : 'windows-1250';
}

/**
 * How many letters of a Czech, Slovak or Polish text are where only one of the two charsets has them. They differ in Š Ť Ž š ť ž Ľ ľ and
 * ą ś ź: in ISO-8859-2, 80-9F are control characters; in windows-1250 the others are signs, which rarely touch a letter.
 */
function signsOf(bytes: Uint8Array): { windows: number; iso: number; either: number; isPolish: boolean } {
  const counts = new Uint32Array(256);
  let inWord = 0;
  let softZ = 0;
  let softL = 0;
  const end = Math.min(bytes.length, 1 << 20);
  for (let at = 0; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    counts[byte] = (counts[byte] as number) + 1;
    if (byte === 0xbe) {
      // ž of the one is ľ of the other. "že", but "veľ", "teľ", "ľud", "poľský".
      if (softVowels.has(bytes[at + 1] as number)) softZ += 1;
      else if (afterSoftL.has(bytes[at + 1] as number) || isBehindSyllable(bytes, at)) softL += 1;
    } else if (isoOnly.has(byte) && (isLetter(bytes[at - 1]) || isLetter(bytes[at + 1]))) inWord += 1;
  }
  const sum = (...codes: number[]) => codes.reduce((total, code) => total + (counts[code] as number), 0);
  let windows = 0;
  for (let code = 0x80; code <= 0x9f; code += 1) windows += counts[code] as number;
  // ł ę ż
  const isPolish = sum(0xb3, 0xea, 0xbf) > 0;
  if (isPolish) return { windows: windows + sum(0xb9), iso: sum(0xb1, 0xb6), either: 0, isPolish };
  const isCzech = sum(...czechLetters) > 0;
  const isSlovak = !isCzech && (softL > 0 || sum(...slovakLetters) > 0);
  const unclear = sum(0xbe) - softZ;
  return { windows, iso: inWord + softZ, either: isSlovak ? -unclear : unclear, isPolish };
}

/** ě ř ů, the same in both: where they are is no ľ. */
const czechLetters = [0xec, 0xf8, 0xf9];
/** ô ä ŕ ĺ */
const slovakLetters = [0xf4, 0xe4, 0xe0, 0xe5];
/** e i é ě í */
const softVowels = new Set([0x65, 0x69, 0xe9, 0xec, 0xed]);
/** u m s */
const afterSoftL = new Set([0x75, 0x6d, 0x73]);

/** te, ve */
function isBehindSyllable(bytes: Uint8Array, at: number): boolean {
  const before = (bytes[at - 2] ?? 0) | 32;
  return bytes[at - 1] === 0x65 && (before === 0x74 || before === 0x76);
}

const isoOnly = new Set([0xa9, 0xab, 0xae, 0xb9, 0xbb, 0xa5, 0xb5]);

/** ASCII and those from À on. */
function isLetter(byte = 0): boolean {
  const lower = byte | 32;
  return byte >= 0xc0 || (lower >= 97 && lower <= 122);
}

function nameOf(label: string): string | undefined {
  const known = label.trim().toLowerCase();
  if (/^(?:cp|win(?:dows)?)[-_]?1250$/.test(known)) return 'windows-1250';
  try {
    return new TextDecoder(known).encoding;
  } catch {
    return undefined;
  }
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return undefined;
}

function labelInside(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4096)).toString('latin1');
  const [, label] =
    // linear: at most 4,096 characters
    /<meta[^>]{0,300}?charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i.exec(head) ??
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']+)/i.exec(head) ??
    [];
  const name = label === undefined ? undefined : nameOf(label);
  // A label that could be read as ASCII is not in UTF-16.
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}

/** A page cut in the middle of a character or with a few broken ones is still UTF-8. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  let good = 0;
  let bad = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte < 0x80) continue;
    const more = byte >= 0xf0 && byte < 0xf5 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    let found = 0;
    while (found < more && ((bytes[at + found + 1] ?? 0) & 0xc0) === 0x80) found += 1;
    if (more > 0 && found === more && byte < 0xf5) good += 1;
    else bad += 1;
    at += found;
  }
  return good > 4 * bad;
}

function looksLikeUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const length = Math.min(bytes.length, 2000) & ~1;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (bytes[at] === 0) even += 1;
    if (bytes[at + 1] === 0) odd += 1;
  }
  if (length < 4 || Math.max(even, odd) < length * 0.2) return undefined;
  if (odd > 4 * even) return 'utf-16le';
  return even > 4 * odd ? 'utf-16be' : undefined;
}

/** What is valid UTF-8 was never meant as another charset with a byte a character; the two Czech ones are taken for each other. */
function correctedLabel(label: string, bytes: Uint8Array): string {
  if (/^(?:windows|iso-8859|koi8|mac|ibm)/.test(label) && !isAscii(bytes) && isUtf8(bytes)) return 'utf-8';
  if (label !== 'iso-8859-2' && label !== 'windows-1250') return label;
  const { windows, iso, isPolish } = signsOf(bytes);
  if (label === 'iso-8859-2') return windows > iso ? 'windows-1250' : label;
  return windows === 0 && iso > 1 && !isPolish ? 'iso-8859-2' : label;
}

const decoders = new Map<string, TextDecoder>();
const tables = new Map<string, Uint16Array>();

function decodeAs(charset: string, bytes: Uint8Array): string {
  // Node decodes these through ICU, at a third of the speed of a table.
  if (charset === 'windows-1250' || charset === 'iso-8859-2') return decodeByTable(charset, bytes);
  let decoder = decoders.get(charset);
  if (decoder === undefined) {
    decoder = new TextDecoder(charset);
    decoders.set(charset, decoder);
  }
  return decoder.decode(bytes);
}

function decodeByTable(charset: string, bytes: Uint8Array): string {
  let table = tables.get(charset);
  if (table === undefined) {
    const all = new TextDecoder(charset).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    table = Uint16Array.from(all, (character) => character.charCodeAt(0));
    tables.set(charset, table);
  }
  const units = new Uint16Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) units[at] = table[bytes[at] as number] as number;
  return Buffer.from(units.buffer).toString('utf16le');
}

/** Whether pages can be read in a charset of this name. */
export function isKnownCharset(label: string): boolean {
  return nameOf(label) !== undefined;
}
