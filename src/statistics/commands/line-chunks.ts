import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';

/** Some lines of a file. */
export interface LineChunk {
  /** From 0. */
  index: number;
  text: string;
  /** Number of lines before the chunk, and in it. */
  before: number;
  lines: number;
  bytes: number;
  /** Identifies this place in the file: the same on every read, different for a file that begins differently. */
  place: string;
}

/** Fixed, because tokens of batches depend on where a chunk begins. */
const linesPerChunk = 20_000;
const mostBytes = 12 * 2 ** 20;
/** Including what precedes the line in its chunk. More would not fit into a call, and a file without newlines must not fill the memory. */
const longestLine = 15 * 2 ** 20;
const newline = 10;

/**
 * Cuts a file (or `-`, standard input) into chunks of whole lines. `place` is a hash of everything before the chunk; for the first
 * chunk, of its first line. A file that has grown keeps its places, so the server notices that its last chunk has new content.
 */
export async function* lineChunks(file: string, header: boolean): AsyncGenerator<LineChunk> {
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 2 ** 20 });
  const before = createHash('sha256');
  let first = '';
  let parts: Buffer[] = [];
  let [bytes, lines, linesBefore, index] = [0, 0, 0, 0];
  let title = '';

  function take(): LineChunk {
    const text = Buffer.concat(parts).toString();
    if (index === 0) {
      const [line = '', second = ''] = text.split('\n', 2);
      if (header) title = `${line}\n`;
      first = header ? `${line}\n${second}` : line;
    }
    const place =
      index === 0 ? createHash('sha256').update(first).digest('hex') : before.copy().digest('hex');
    for (const part of parts) before.update(part);
    const chunk = {
      index,
      before: linesBefore,
      lines,
      bytes,
      place: place.slice(0, 32),
      text: index === 0 ? text : title + text,
    };
    linesBefore += lines;
    index++;
    parts = [];
    [bytes, lines] = [0, 0];
    return chunk;
  }

  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) {
        lines++;
        if (lines < linesPerChunk && bytes + at - from < mostBytes) continue;
        parts.push(piece.subarray(from, at + 1));
        bytes += at + 1 - from;
        from = at + 1;
        yield take();
      }
      if (from < piece.length) parts.push(piece.subarray(from));
      bytes += piece.length - from;
      if (bytes > longestLine) break;
    }
  } catch (cause) {
    throw new PismakError('invalid-input', `can't read ${file}: ${reasonOf(cause)}`, { cause });
  }
  if (bytes > longestLine)
    throw new PismakError(
      'invalid-input',
      `line ${linesBefore + lines + 1} of ${file} is longer than a line may be; is this a file of events?`,
    );
  if (bytes > 0) {
    if (parts.at(-1)?.at(-1) !== newline) lines++;
    yield take();
  }
}
