import { classOf, isSpace } from '../segment/character-classes.ts';
import { tokenEnd, tokensOf } from '../segment/words.ts';
import type { CorpusDocument } from './document.ts';

/** One JSON object a line: everything but the server's bytes and what the other files repeat. */
export function jsonLine(document: CorpusDocument): string {
  const { response: _, paragraphs: __, fetchedAt, ...described } = document;
  described.fetchedAt = new Date(fetchedAt).toISOString();
  // JSON has no such numbers.
  for (const [name, value] of Object.entries(described))
    if (typeof value === 'bigint') described[name] = value.toString(16);
  return `${JSON.stringify(described)}\n`;
}

/** A sentence a line, a blank line behind each paragraph. */
export function plainText({ paragraphs = [] }: CorpusDocument): string {
  return paragraphs.map((sentences) => `${sentences.join('\n')}\n\n`).join('');
}

/** A token a line inside <doc>, <p> and <s>, as corpus managers read it. */
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
  const lines = [`<doc${attributes.join('')}>`];
  for (const sentences of paragraphs) {
    lines.push('<p>');
    for (const sentence of sentences) {
      const tokens = tokenLines(sentence);
      if (tokens !== '') lines.push('<s>', tokens, '</s>');
    }
    lines.push('</p>');
  }
  lines.push('</doc>\n');
  return lines.join('\n');
}

let units = new Uint16Array(1 << 12);

/** A token a line, without the last line break. Units are copied into one array: a string for each token took three times as long. */
function tokenLines(sentence: string): string {
  if (units.length < 8 * sentence.length) units = new Uint16Array(16 * sentence.length);
  let length = 0;
  for (let at = 0; at < sentence.length; ) {
    if (classOf(sentence.charCodeAt(at)) === isSpace) {
      at += 1;
      continue;
    }
    const to = tokenEnd(sentence, at);
    if (to < 0)
      return tokensOf(sentence)
        .map((token) => entities[token] ?? token)
        .join('\n');
    if (length > 0) units[length++] = 10;
    // What must be escaped is a token of its own.
    const entity = to === at + 1 ? entities[sentence[at] as string] : undefined;
    if (entity === undefined) while (at < to) units[length++] = sentence.charCodeAt(at++);
    else for (let unit = 0; unit < entity.length; unit += 1) units[length++] = entity.charCodeAt(unit);
    at = to;
  }
  return Buffer.from(units.buffer, 0, 2 * length).toString('utf16le');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '').replaceAll(/\s+/g, ' ');
}
