import { type AnswerHead, brokenAnswer, parseFields, parseHead } from './answer-head.ts';
import { FetchFailure } from './fetch-failure.ts';

/** An answer as received. */
export interface Received {
  status: number;
  statusText: string;
  rawHeaders: [string, string][];
  chunks: Buffer[];
  /** The body exceeded the limit; the rest was not read. */
  isCut: boolean;
}

export const longestHead = 64 * 1024;
/** Maximum length of the line with the size of a chunk. */
const longestLine = 1024;
const mostPreliminary = 10;
const smallestRoom = 8 * 1024;
const largestRoom = 64 * 1024;
const none: Buffer = Buffer.alloc(0);
const carriageReturn = 13;

type State =
  | 'head'
  | 'counted'
  | 'until the end'
  | 'chunk size'
  | 'chunk'
  | 'chunk end'
  | 'trailers'
  | 'done';

/**
 * Reads one HTTP/1.1 response from the bytes of a connection. The states are the parts of a response, in order: `head` (again after a 1xx),
 * then a body that is `counted` (Content-Length), `until the end` of the connection, or chunked (`chunk size`, `chunk`, `chunk end`, again for
 * each chunk, then `trailers`), then `done`. Refuses what two readers could understand differently (two lengths, a length beside
 * chunks, a line without CR), so that nobody can hide one response in another.
 */
export class AnswerReader {
  #state: State = 'head';
  readonly #limit: number;
  /** The beginning of a head, line or trailer that is incomplete. */
  #partial = none;
  #received: Received = { status: 0, statusText: '', rawHeaders: [], chunks: [], isCut: false };
  #size = 0;
  /** The current buffer of the body, and how much of it is filled. */
  #room = none;
  #used = 0;
  /** Bytes left in the body or chunk. */
  #left = 0;
  #preliminary = 0;
  /** Whether the connection can carry another request. */
  keepsAlive = false;
  /** How many seconds the server keeps an idle connection open, if it says so. */
  idleSeconds: number | undefined;

  /** `limit`: bytes of the body that are read. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes the next bytes; the caller may overwrite them afterwards. Returns the answer when it is complete. Throws if it is malformed. */
  take(bytes: Buffer): Received | undefined {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done') {
      switch (this.#state) {
        case 'head':
          at = this.#head(bytes, at);
          break;
        case 'chunk size':
          at = this.#line(bytes, at, (line) => this.#beginChunk(line));
          break;
        case 'chunk end':
          at = this.#line(bytes, at, (line) => {
            if (line !== '') throw brokenAnswer('the end of a chunk');
            this.#state = 'chunk size';
          });
          break;
        case 'trailers':
          at = this.#trailers(bytes, at);
          break;
        default:
          at = this.#body(bytes, at);
      }
    }
    if (this.#state !== 'done') return undefined;
    // Unsolicited data.
    if (at < bytes.length) this.keepsAlive = false;
    return this.#complete();
  }

  /** The server has closed the connection. Returns the answer if that completes it. */
  end(): Received {
    if (this.#state === 'until the end') return this.#complete();
    throw new FetchFailure('connection lost', { isTemporary: true });
  }

  #complete(): Received {
    this.#closeRoom();
    return this.#received;
  }

  #head(bytes: Buffer, from: number): number {
    const { text, next } = this.#through('\r\n\r\n', bytes, from, longestHead);
    if (text === undefined) return next;
    const head = parseHead(text.slice(0, -2));
    const { status, reason, fields } = head;
    if (status >= 100 && status < 200) {
      this.#preliminary += 1;
      if (status === 101 || this.#preliminary > mostPreliminary) throw brokenAnswer(`status ${status}`);
      return next;
    }
    this.#received = { status, statusText: reason, rawHeaders: fields, chunks: [], isCut: false };
    this.#frame(head);
    return next;
  }

  /** Decides how the body ends. */
  #frame({ isVersion11, status, fields }: AnswerHead): void {
    let length: number | undefined;
    let coding: string | undefined;
    let connection = '';
    for (const [name, value] of fields) {
      // Comparing lengths first is faster: most names differ in length.
      if (name.length === 14 && name.toLowerCase() === 'content-length') {
        if (length !== undefined || !/^\d{1,15}$/.test(value)) throw brokenAnswer('Content-Length');
        length = Number(value);
      } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding')
        coding = coding === undefined ? value : `${coding},${value}`;
      else if (name.length === 10 && name.toLowerCase() === 'connection') connection += `,${value}`;
      else if (name.length === 10 && name.toLowerCase() === 'keep-alive')
        this.idleSeconds = secondsOf(value) ?? this.idleSeconds;
    }
    if (length !== undefined && coding !== undefined) throw brokenAnswer('both a length and chunks');
    const wishes = connection.toLowerCase().split(',');
    const has = (wish: string) => wishes.some((each) => each.trim() === wish);
    this.keepsAlive = isVersion11 ? !has('close') : has('keep-alive');
    if (status === 204 || status === 304) {
      // They have no body, whatever their fields say; if one comes nevertheless, it must not be read as the next answer.
      if (coding !== undefined || (length ?? 0) > 0) this.keepsAlive = false;
      this.#state = 'done';
    } else if (coding !== undefined && isChunked(coding)) this.#state = 'chunk size';
    else if (length === undefined) {
      this.keepsAlive = false;
      this.#state = 'until the end';
    } else {
      this.#left = length;
      this.#state = length === 0 ? 'done' : 'counted';
    }
  }

  #beginChunk(line: string): void {
    const [, size] = /^([0-9a-fA-F]{1,8})(?:;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line) ?? [];
    if (size === undefined) throw brokenAnswer('the size of a chunk');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
  }

  #body(bytes: Buffer, from: number): number {
    const isCounted = this.#state !== 'until the end';
    const to = isCounted ? Math.min(bytes.length, from + this.#left) : bytes.length;
    this.#keep(bytes, from, to);
    if (this.#size > this.#limit) {
      this.#received.isCut = true;
      this.keepsAlive = false;
      this.#state = 'done';
      return bytes.length;
    }
    if (!isCounted) return to;
    this.#left -= to - from;
    if (this.#left === 0) this.#state = this.#state === 'chunk' ? 'chunk end' : 'done';
    return to;
  }

  /** Copies bytes, because the buffer of the connection is reused. Small pieces share a buffer: a server may send byte by byte. */
  #keep(bytes: Buffer, from: number, to: number): void {
    const length = to - from;
    if (this.#used + length > this.#room.length) {
      this.#closeRoom();
      const isWhole = this.#state === 'counted' && length === this.#left;
      const room = isWhole ? length : Math.max(length, Math.min(largestRoom, smallestRoom + this.#size));
      this.#room = Buffer.allocUnsafeSlow(room);
    }
    bytes.copy(this.#room, this.#used, from, to);
    this.#used += length;
    this.#size += length;
  }

  #closeRoom(): void {
    if (this.#used > 0) this.#received.chunks.push(this.#room.subarray(0, this.#used));
    this.#room = none;
    this.#used = 0;
  }

  /** The fields after the last chunk are checked and ignored. */
  #trailers(bytes: Buffer, from: number): number {
    return this.#line(bytes, from, (line) => {
      if (line === '') this.#state = 'done';
      else parseFields(`${line}\r\n`, 0);
      this.#left += line.length;
      if (this.#left > longestHead) throw brokenAnswer('the headers behind the body');
    });
  }

  #line(bytes: Buffer, from: number, take: (line: string) => void): number {
    const { text, next } = this.#through('\r\n', bytes, from, longestLine);
    if (text !== undefined) take(text.slice(0, -2));
    return next;
  }

  /** The text up to and including `end`, once it is complete. */
  #through(end: string, bytes: Buffer, from: number, longest: number): { text?: string; next: number } {
    const known = this.#partial.length;
    const all = known === 0 ? bytes.subarray(from) : Buffer.concat([this.#partial, bytes.subarray(from)]);
    const found = all.indexOf(end, Math.max(0, known - end.length), 'latin1');
    const to = found < 0 ? all.length : found + end.length;
    if (to > longest) throw brokenAnswer(`longer than ${longest} bytes`);
    if (found < 0) {
      // Check only new bytes: a server may send byte by byte.
      for (let at = all.indexOf('\n', known); at >= 0; at = all.indexOf('\n', at + 1))
        if (all[at - 1] !== carriageReturn) throw brokenAnswer('a line that ends without CR');
      this.#partial = known === 0 ? Buffer.from(all) : all;
      return { next: bytes.length };
    }
    this.#partial = none;
    return { text: all.toString('latin1', 0, to), next: from + to - known };
  }
}

function secondsOf(keepAlive: string): number | undefined {
  const [, seconds] = /timeout=\s*(\d{1,6})/i.exec(keepAlive) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

function isChunked(coding: string): boolean {
  return (
    coding
      .slice(coding.lastIndexOf(',') + 1)
      .trim()
      .toLowerCase() === 'chunked'
  );
}
