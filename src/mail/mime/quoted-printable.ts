const hex = new Uint8Array(Buffer.from('0123456789ABCDEF'));
const longestLine = 75;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const equals = 0x3d;

/** What becomes of a byte. */
const plain = 0;
const toEscape = 1;
/** Escaped at the end of a line only. */
const blank = 2;
/** Escaped at the beginning of a line only: a line with a dot means something to SMTP. */
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

/**
 * Text as quoted-printable: ASCII only, short lines, CRLF, no line that begins with a dot, no white space at the end of a
 * line. Nothing on the way has a reason to change it, so signatures hold. One pass with a table: it is the dearest part of
 * building a mail, and runs for every byte of it.
 */
export function quotedPrintable(text: string): Buffer {
  const source = Buffer.from(text, 'utf8');
  const { length } = source;
  // Each byte may become three, and every line of 75 gets a soft break of three.
  const target = Buffer.allocUnsafe(length * 3 + Math.ceil((length * 3) / 72) * 3 + 8);
  let to = 0;
  let column = 0;
  for (let from = 0; from < length; from++) {
    const byte = source[from] as number;
    let kind = kinds[byte] as number;
    if (kind >= blank) {
      if (kind === beforeNewLine) {
        if (source[from + 1] === lineFeed) continue;
        kind = toEscape;
      } else if (kind === newLine) {
        target[to++] = carriageReturn;
        target[to++] = lineFeed;
        column = 0;
        continue;
      } else if (kind === blank) kind = endsLine(source, from + 1) ? toEscape : plain;
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
  return target.subarray(0, to);
}

function endsLine(source: Buffer, at: number): boolean {
  const next = source[at];
  return next === undefined || next === lineFeed || (next === carriageReturn && source[at + 1] === lineFeed);
}
