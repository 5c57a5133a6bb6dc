import { PismakError } from '../../engine/ground/errors.ts';
import type { Reply } from './outcome.ts';

const longestLine = 4096;
const mostLines = 200;

/** Splits the bytes of a server into replies: `250-first`, `250 last`. */
export class ReplyReader {
  #rest = '';
  #lines: string[] = [];

  /** The replies that are complete now. Throws if this is not SMTP. */
  push(chunk: Buffer): Reply[] {
    const text = this.#rest + chunk.toString('utf8');
    const replies: Reply[] = [];
    let start = 0;
    for (;;) {
      const end = text.indexOf('\n', start);
      if (end < 0) break;
      const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
      start = end + 1;
      const reply = this.#take(line);
      if (reply) replies.push(reply);
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > longestLine) throw notSmtp(this.#rest);
    return replies;
  }

  /** Whether there are unread bytes that form no complete reply. */
  get isEmpty(): boolean {
    return this.#rest === '' && this.#lines.length === 0;
  }

  #take(line: string): Reply | undefined {
    if (!/^[2-5]\d\d([ -]|$)/.test(line)) throw notSmtp(line);
    this.#lines.push(line.slice(4));
    if (this.#lines.length > mostLines) throw notSmtp(line);
    if (line[3] === '-') return undefined;
    const lines = this.#lines;
    this.#lines = [];
    return { code: Number(line.slice(0, 3)), text: lines.join(' '), lines };
  }
}

function notSmtp(line: string): PismakError {
  return new PismakError(
    'unavailable',
    `the server does not speak SMTP: ${JSON.stringify(line.slice(0, 100))}`,
  );
}
