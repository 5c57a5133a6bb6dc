import type { Box, Line, Page, Paragraph } from '../page/page.ts';
import { elements } from './markup.ts';

type Attributes = Readonly<Record<string, string>>;

/** Reads ALTO from PERO-OCR, Kraken and ABBYY. A block becomes a region of one paragraph. Throws if the ALTO is invalid. */
export function readAlto(text: string): Page {
  let page: Page | undefined;
  let paragraph: Paragraph | undefined;
  let line: Line | undefined;
  let inUnit = false;
  for (const part of elements(text)) {
    if ('text' in part) {
      if (inUnit && part.text.trim() !== 'pixel')
        throw new Error(`lengths in the ALTO are in ${part.text.trim()}; write them in pixels`);
      continue;
    }
    const { name, closes, attributes } = part;
    inUnit = name === 'MeasurementUnit' && !closes;
    if (closes) continue;
    if (name === 'Page') {
      // A request has one page, so ignore further ones.
      if (page) break;
      page = { width: size(attributes.WIDTH), height: size(attributes.HEIGHT), regions: [] };
    }
    if (!page) continue;
    if (name === 'TextBlock') {
      paragraph = { box: boxOf(attributes), lines: [] };
      page.regions.push({ kind: 'text', box: paragraph.box, paragraphs: [paragraph] });
    } else if (name === 'Illustration' || name === 'GraphicalElement') {
      const kind = name === 'Illustration' ? 'image' : 'separator';
      page.regions.push({ kind, box: boxOf(attributes), paragraphs: [] });
    } else if (name === 'TextLine' && paragraph) {
      line = { box: boxOf(attributes), words: [] };
      paragraph.lines.push(line);
    } else if (name === 'String' && line) {
      const confidence = Number.parseFloat(attributes.WC ?? '');
      const sure = Number.isNaN(confidence) ? {} : { confidence: Math.min(1, Math.max(0, confidence)) };
      line.words.push({ text: attributes.CONTENT ?? '', box: boxOf(attributes), ...sure });
    } else if (name === 'HYP') {
      const last = line?.words.at(-1);
      if (last) last.text += attributes.CONTENT ?? '-';
    }
  }
  if (!page) throw new Error('there is no page in the ALTO');
  return page;
}

function boxOf({ HPOS, VPOS, WIDTH, HEIGHT }: Attributes): Box {
  return { left: whole(HPOS), top: whole(VPOS), width: whole(WIDTH), height: whole(HEIGHT) };
}

function whole(text: string | undefined): number {
  const value = Math.round(Number.parseFloat(text ?? ''));
  return Number.isSafeInteger(value) ? Math.max(0, value) : 0;
}

function size(text: string | undefined): number {
  return Math.max(1, whole(text));
}
