import type { Output } from '../api/call.ts';
import type { Box } from './viewer/reading.ts';

export type Hit = Output<'search.text'>['hits'][number];

/** A text in pieces, of which some are marked. */
export function piecesOf(
  text: string,
  marks: readonly { start: number; end: number }[],
): { text: string; marked: boolean }[] {
  const pieces: { text: string; marked: boolean }[] = [];
  let at = 0;
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end <= start) continue;
    if (start > at) pieces.push({ text: text.slice(at, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    at = end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), marked: false });
  return pieces;
}

/** The lines with found words, the first ones of the page, and how many lines are left out. */
export function linesOf(
  places: Hit['places'],
  most: number,
): { lines: { number: number; box: Box; words: Box[] }[]; more: number } {
  const lines = new Map<number, { number: number; box: Box; words: Box[] }>();
  for (const { box, line, lineNumber } of (places ?? []).toSorted((a, b) => a.lineNumber - b.lineNumber)) {
    const known = lines.get(lineNumber) ?? { number: lineNumber, box: line, words: [] };
    known.words.push(box);
    lines.set(lineNumber, known);
  }
  const all = [...lines.values()];
  return { lines: all.slice(0, most), more: Math.max(0, all.length - most) };
}

/** The page in the viewer, at this word, with all that was found marked. */
export function pathOf(hit: Pick<Hit, 'document' | 'page'>, words: string, word?: Box): string {
  const query = new URLSearchParams({ find: words });
  if (word) query.set('at', `${word.left},${word.top}`);
  return `transcription/documents/${hit.document}/${hit.page}?${query}`;
}
