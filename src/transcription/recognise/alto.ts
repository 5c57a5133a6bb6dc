import { readXml } from '../../formats/markup/read-xml.ts';
import type { Box, Line, Page, Paragraph } from '../page/page.ts';

type Attribute = (name: string) => string | undefined;

/** Reads ALTO from PERO-OCR, Kraken and ABBYY. A block becomes a region of one paragraph. Throws if the ALTO is invalid. */
export function readAlto(text: string): Page {
  let page: Page | undefined;
  let paragraph: Paragraph | undefined;
  let line: Line | undefined;
  let inUnit = false;
  // A request has one page; ignore others.
  let isOver = false;
  readXml(text, {
    text(unit) {
      if (inUnit && !isOver && unit.trim() !== 'pixel')
        throw new Error(`lengths in the ALTO are in ${unit.trim()}; write them in pixels`);
    },
    close() {
      inUnit = false;
    },
    open(fullName, attribute) {
      const name = fullName.slice(fullName.indexOf(':') + 1);
      inUnit = name === 'measurementunit';
      if (name === 'page') {
        isOver = page !== undefined;
        page ??= { width: size(attribute('width')), height: size(attribute('height')), regions: [] };
      }
      if (!page || isOver) return;
      if (name === 'textblock') {
        paragraph = { box: boxOf(attribute), lines: [] };
        page.regions.push({ kind: 'text', box: paragraph.box, paragraphs: [paragraph] });
      } else if (name === 'illustration' || name === 'graphicalelement') {
        const kind = name === 'illustration' ? 'image' : 'separator';
        page.regions.push({ kind, box: boxOf(attribute), paragraphs: [] });
      } else if (name === 'textline' && paragraph) {
        line = { box: boxOf(attribute), words: [] };
        paragraph.lines.push(line);
      } else if (name === 'string' && line) {
        const confidence = Number.parseFloat(attribute('wc') ?? '');
        const sure = Number.isNaN(confidence) ? {} : { confidence: Math.min(1, Math.max(0, confidence)) };
        line.words.push({ text: attribute('content') ?? '', box: boxOf(attribute), ...sure });
      } else if (name === 'hyp') {
        const last = line?.words.at(-1);
        if (last) last.text += attribute('content') ?? '-';
      }
    },
  });
  if (!page) throw new Error('there is no page in the ALTO');
  return page;
}

function boxOf(attribute: Attribute): Box {
  return {
    left: whole(attribute('hpos')),
    top: whole(attribute('vpos')),
    width: whole(attribute('width')),
    height: whole(attribute('height')),
  };
}

function whole(text: string | undefined): number {
  const value = Math.round(Number.parseFloat(text ?? ''));
  return Number.isSafeInteger(value) ? Math.max(0, value) : 0;
}

function size(text: string | undefined): number {
  return Math.max(1, whole(text));
}
