import { classOf, isSpace } from '../segment/character-classes.ts';
import { tokenEnd, tokensOf } from '../segment/words.ts';
import type { CorpusDocument } from './document.ts';

/** A JSON object: everything but the server's bytes and what other files repeat. */
export function jsonLine(document: CorpusDocument): string {
  const { response: _, paragraphs: __, fetchedAt, ...described } = document;
  described.fetchedAt = new Date(fetchedAt).toISOString();
  // JSON has no such numbers.
  for (const [name, value] of Object.entries(described))
    if (typeof value === 'bigint') described[name] = value.toString(16);
  return `${JSON.stringify(described)}\n`;
}

/** One sentence per line, a blank line after each paragraph. */
export function plainText({ paragraphs = [] }: CorpusDocument): string {
  return paragraphs.map((sentences) => `${sentences.join('\n')}\n\n`).join('');
}

/** One token per line in <doc>, <p> and <s>: the format of corpus managers. */
export function vertical(document: CorpusDocument): string {
  const { paragraphs = [] } = document;
  if (paragraphs.length === 0) return '';
  const attributes = Object.entries({
    url: document.finalUrl ?? document.url,
    title: document.title,
    author: document.author,
    date: document.date,
    language: document.language,
    usability: document.usability?.toFixed(3),
    fetched: new Date(document.fetchedAt).toISOString(),
  }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [` ${name}="${escaped(value)}"`],
  );
  const lines = new UnitBuffer();
  lines.put(`<doc${attributes.join('')}>\n`);
  for (const sentences of paragraphs) {
    lines.put('<p>\n');
    for (const sentence of sentences) lines.putSentence(sentence);
    lines.put('</p>\n');
  }
  lines.put('</doc>\n');
  return lines.toString();
}

let shared = new Uint16Array(1 << 16);

/** UTF-16 units in one array for all documents: a string for each token took three times as long. */
class UnitBuffer {
  #length = 0;

  put(text: string): void {
    this.#reserve(text.length);
    for (let at = 0; at < text.length; at += 1) shared[this.#length++] = text.charCodeAt(at);
  }

  /** One token per line between `<s>` and `</s>`, if there are any. */
  putSentence(sentence: string): void {
    // A token has at least one unit and becomes at most six and a line break.
    this.#reserve(7 * sentence.length);
    const before = this.#length;
    this.put('<s>\n');
    const from = this.#length;
    const to = tokenLines(sentence, shared, from);
    if (to < 0) this.put(`${linesByExpression(sentence)}\n`);
    else this.#length = to;
    if (this.#length === from) this.#length = before;
    else this.put('</s>\n');
  }

  toString(): string {
    const text = Buffer.from(shared.buffer, 0, 2 * this.#length).toString('utf16le');
    if (shared.length > mostShared) shared = new Uint16Array(1 << 16);
    return text;
  }

  #reserve(more: number): void {
    const needed = this.#length + more + 16;
    if (needed <= shared.length) return;
    const larger = new Uint16Array(2 * needed);
    larger.set(shared.subarray(0, this.#length));
    shared = larger;
  }
}

const mostShared = 1 << 22;

function linesByExpression(sentence: string): string {
  return tokensOf(sentence)
    .map((token) => entities[token] ?? token)
    .join('\n');
}

/** Writes one token per line; returns where they end, or -1 if only a regular expression can tell tokens apart. */
function tokenLines(sentence: string, units: Uint16Array, from: number): number {
  let length = from;
  for (let at = 0; at < sentence.length; ) {
    if (classOf(sentence.charCodeAt(at)) === isSpace) {
      at += 1;
      continue;
    }
    const to = tokenEnd(sentence, at);
    if (to < 0) return -1;
    // What must be escaped is a token of its own.
    const code = sentence.charCodeAt(at);
    const mayBeEscaped = to === at + 1 && (code === 34 || code === 38 || code === 60 || code === 62);
    const entity = mayBeEscaped ? entities[sentence[at] as string] : undefined;
    if (entity === undefined) while (at < to) units[length++] = sentence.charCodeAt(at++);
    else for (let unit = 0; unit < entity.length; unit += 1) units[length++] = entity.charCodeAt(unit);
    units[length++] = 10;
    at = to;
  }
  return length;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '').replaceAll(/\s+/g, ' ');
}
