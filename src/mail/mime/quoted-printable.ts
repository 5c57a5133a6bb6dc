import { PismakError } from '../../engine/ground/errors.ts';
import { messageMemory } from './message-memory.ts';

const hex = new Uint8Array(Buffer.from('0123456789ABCDEF'));
const longestLine = 75;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const equals = 0x3d;

/** How a byte is encoded. */
const plain = 0;
const toEscape = 1;
/** Escaped only at the end of a line. */
const blank = 2;
/** Escaped only at the beginning of a line, where a dot is special in SMTP. */
const dot = 3;
const newLine = 4;
const beforeNewLine = 5;

const kinds = new Uint8Array(256).fill(toEscape);
kinds.fill(plain, 0x21, 0x7f);
kinds[equals] = toEscape;
kinds[0x20] = blank;
kinds[0x09] = blank;
kinds[0x2e] = dot;
kinds[lineFeed] = newLine;
kinds[carriageReturn] = beforeNewLine;

/** Text encoded in advance. */
export interface EncodedText {
  bytes: Buffer;
  /** Characters on its last line. */
  column: number;
}

/** Larger than any real mail: keeps a template and its data from filling the memory. */
const mostBytes = 32 * 1024 * 1024;

/**
 * Text as quoted-printable: ASCII only, short lines, CRLF, no line that begins with a dot, no white space at the end of a line.
 * Relays have no reason to change it, so signatures hold. One pass with a table and reused buffers, because it runs for every
 * byte of every mail.
 */
class QuotedPrintableWriter {
  #source = Buffer.allocUnsafeSlow(64 * 1024);
  #target = Buffer.allocUnsafeSlow(64 * 1024);
  #to = 0;
  #column = 0;

  /** Appends text to the current line. */
  write(text: string): void {
    // A character has at most three bytes of UTF-8 for each of its UTF-16 units.
    if (this.#source.length < text.length * 3) this.#source = Buffer.allocUnsafeSlow(text.length * 3);
    const length = this.#source.write(text, 'utf8');
    // Each byte may become three, and every line of 75 gets a soft break of three.
    this.#makeRoom(length * 3 + Math.ceil((length * 3) / 72) * 3 + 8);
    this.#encode(length);
  }

  /** Appends text that was encoded from the beginning of a line. */
  writeEncoded({ bytes, column }: EncodedText): void {
    if (bytes.length === 0) return;
    this.#makeRoom(bytes.length + 3);
    if (this.#column > 0) this.#breakLine();
    this.#to += bytes.copy(this.#target, this.#to);
    this.#column = column;
  }

  /** Returns what was written, and resets the writer. */
  take(allocate: (bytes: number) => Buffer = Buffer.allocUnsafeSlow): EncodedText {
    const bytes = allocate(this.#to);
    this.#target.copy(bytes, 0, 0, this.#to);
    const column = this.#column;
    this.clear();
    return { bytes, column };
  }

  clear(): void {
    this.#to = 0;
    this.#column = 0;
  }

  #makeRoom(more: number): void {
    const needed = this.#to + more;
    if (needed <= this.#target.length) return;
    if (needed > mostBytes) {
      this.clear();
      throw new PismakError('too-large', 'the mail would be larger than 30 MB without its attachments');
    }
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#target.copy(larger, 0, 0, this.#to);
    this.#target = larger;
  }

  #breakLine(): void {
    const target = this.#target;
    target[this.#to++] = equals;
    target[this.#to++] = carriageReturn;
    target[this.#to++] = lineFeed;
    this.#column = 0;
  }

  #encode(length: number): void {
    const source = this.#source;
    const target = this.#target;
    let to = this.#to;
    let column = this.#column;
    for (let from = 0; from < length; from++) {
      const byte = source[from] as number;
      let kind = kinds[byte] as number;
      if (kind >= blank) {
        if (kind === beforeNewLine) {
          if (from + 1 < length && source[from + 1] === lineFeed) continue;
          kind = toEscape;
        } else if (kind === newLine) {
          target[to++] = carriageReturn;
          target[to++] = lineFeed;
          column = 0;
          continue;
        } else if (kind === blank) kind = endsLine(source, from + 1, length) ? toEscape : plain;
        // If it does not fit, it begins the next line.
        else kind = column === 0 || column === longestLine ? toEscape : plain;
      }
      if (column + (kind === plain ? 1 : 3) > longestLine) {
        target[to++] = equals;
        target[to++] = carriageReturn;
        target[to++] = lineFeed;
        column = 0;
      }
      if (kind === plain) {
        target[to++] = byte;
        column++;
      } else {
        target[to++] = equals;
        target[to++] = hex[byte >> 4] as number;
        target[to++] = hex[byte & 15] as number;
        column += 3;
      }
    }
    this.#to = to;
    this.#column = column;
  }
}

/** Shared: writing a mail never yields. */
export const quotedPrintableWriter = new QuotedPrintableWriter();

export function quotedPrintable(text: string): Buffer {
  quotedPrintableWriter.clear();
  quotedPrintableWriter.write(text);
  return quotedPrintableWriter.take(messageMemory).bytes;
}

function endsLine(source: Buffer, at: number, length: number): boolean {
  if (at >= length) return true;
  const next = source[at];
  return next === lineFeed || (next === carriageReturn && at + 1 < length && source[at + 1] === lineFeed);
}
