import { tokensOf } from '../segment/words.ts';
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
      lines.push('<s>');
      // What must be escaped is a token of its own.
      for (const token of tokensOf(sentence))
        lines.push(token.length === 1 ? (entities[token] ?? token) : token);
      lines.push('</s>');
    }
    lines.push('</p>');
  }
  lines.push('</doc>\n');
  return lines.join('\n');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '').replaceAll(/\s+/g, ' ');
}
