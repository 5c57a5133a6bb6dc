import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../database/database.ts';
import { meanConfidence } from '../formats/outline.ts';
import type { Box, Line } from '../page/page.ts';
import type { ListedPage } from './page-list.ts';
import { readPageText } from './read-page-text.ts';

type Place = [left: number, top: number, width: number, height: number];

export interface ViewedLine {
  box: Place;
  paragraph: number;
  kind: 'text' | 'table' | 'image' | 'separator';
  confidence: number | null;
  words: [text: string, ...Place, confidence: number | null][];
}

const readStates = ['done', 'doubtful', 'no-text'];
const linesAtOnce = 500;

/** The lines of a page that was read, and the size of the image they lie on; undefined if there is no text. */
export async function linesOfPage(
  engine: Pick<Engine, 'blobs' | 'database'>,
  { id, state }: Pick<ListedPage, 'id' | 'state'>,
): Promise<{ width: number; height: number; lines: ViewedLine[] } | undefined> {
  // Ignore earlier results while a page is retried.
  if (!readStates.includes(state)) return undefined;
  const page = await readPageText(engine, id);
  if (!page) return undefined;
  const lines: ViewedLine[] = [];
  let number = 0;
  for (const { kind, paragraphs } of page.regions) {
    for (const paragraph of paragraphs) {
      for (const line of paragraph.lines) {
        lines.push({ paragraph: number, kind, ...viewed(line) });
        // A page may have any number of them; let other work run in between.
        if (lines.length % linesAtOnce === 0) await setImmediate();
      }
      number++;
    }
  }
  return { width: page.width, height: page.height, lines };
}

function viewed(line: Line): Pick<ViewedLine, 'box' | 'confidence' | 'words'> {
  const mean = line.confidence ?? meanConfidence([line]);
  return {
    box: placeOf(line.box),
    confidence: mean === undefined ? null : rounded(mean),
    words: line.words.map(({ text, box, confidence }) => [
      text,
      ...placeOf(box),
      confidence === undefined ? null : rounded(confidence),
    ]),
  };
}

function placeOf({ left, top, width, height }: Box): Place {
  return [left, top, width, height];
}

function rounded(confidence: number): number {
  return Math.round(confidence * 1000) / 1000;
}
