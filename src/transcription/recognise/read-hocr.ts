import { readXml } from '../../formats/markup/read-xml.ts';
import type { Box, Line, Page, Paragraph, Region, Word } from '../page/page.ts';

/**
 * Reads hOCR from Tesseract, Kraken and OCRopus; throws if it has no page. Pass `size` for hOCR of a part of an image, which
 * states the size of the part as that of the page.
 */
export function readHocr(text: string, size?: { width: number; height: number }): Page {
  let page: Page | undefined;
  let region: Region | undefined;
  let paragraph: Paragraph | undefined;
  let line: Line | undefined;
  let word: Word | undefined;

  const startRegion = (box: Box, kind: Region['kind'] = 'text') => {
    region = { kind, box, paragraphs: [] };
    page?.regions.push(region);
    paragraph = line = undefined;
    return region;
  };
  const startParagraph = (box: Box) => {
    const within = region ?? startRegion(box);
    paragraph = { box, lines: [] };
    within.paragraphs.push(paragraph);
    line = undefined;
    return paragraph;
  };
  const startLine = (box: Box, title: string) => {
    const within = paragraph ?? startParagraph(box);
    const baseline = baselineOf(title, box);
    line = { box, ...(baseline && { baseline }), words: [] };
    within.lines.push(line);
    return line;
  };

  // A request has one page; ignore others.
  let isOver = false;
  readXml(text, {
    text(more) {
      if (word && !isOver) word.text += more;
    },
    close(name) {
      // Words contain only <strong> and <em>, so a closing span ends the word.
      if (name === 'span') word = undefined;
    },
    open(_name, attribute) {
      if (isOver) return;
      const title = attribute('title') ?? '';
      const [kind] = (attribute('class') ?? '').split(' ');
      if (kind === 'ocr_page') {
        isOver = page !== undefined;
        if (isOver) return;
        page = newPage(title);
        if (size) Object.assign(page, { width: size.width, height: size.height });
      }
      const box = page && boxOf(title, page);
      if (!page || !box) return;
      if (kind === 'ocr_carea') startRegion(box);
      else if (kind === 'ocr_photo' || kind === 'ocr_image') startRegion(box, 'image');
      else if (kind === 'ocr_separator') startRegion(box, 'separator');
      else if (kind === 'ocr_table') startRegion(box, 'table');
      else if (kind === 'ocr_par') startParagraph(box);
      else if (kind && lineKinds.has(kind)) startLine(box, title);
      else if (kind === 'ocrx_word' || kind === 'ocr_word') {
        const confidence = numbers(title, 'x_wconf')?.[0];
        const within = line ?? startLine(box, title);
        word = { text: '', box };
        if (confidence !== undefined) word.confidence = Math.min(1, Math.max(0, confidence / 100));
        within.words.push(word);
      }
    },
  });
  if (!page) throw new Error('there is no page in the hOCR');
  return withoutEmpty(page);
}

const lineKinds = new Set(['ocr_line', 'ocr_header', 'ocr_caption', 'ocr_textfloat']);

function newPage(title: string): Page {
  const [, , width = 0, height = 0] = numbers(title, 'bbox') ?? [];
  const dpi = numbers(title, 'scan_res')?.[0];
  return { width: Math.max(1, width), height: Math.max(1, height), ...(dpi ? { dpi } : {}), regions: [] };
}

function boxOf(title: string, page: Page): Box | undefined {
  const corners = numbers(title, 'bbox');
  if (corners?.length !== 4) return undefined;
  const within = (value: number | undefined, most: number) =>
    Math.min(most, Math.max(0, Math.round(value ?? 0)));
  const left = within(corners[0], page.width);
  const top = within(corners[1], page.height);
  const width = Math.max(0, within(corners[2], page.width) - left);
  return { left, top, width, height: Math.max(0, within(corners[3], page.height) - top) };
}

/** `baseline SLOPE OFFSET` is relative to the lower left corner of the line. */
function baselineOf(title: string, box: Box): Line['baseline'] {
  const [slope, offset] = numbers(title, 'baseline') ?? [];
  if (slope === undefined || offset === undefined || /textangle/.test(title)) return undefined;
  const y = box.top + box.height + offset;
  return [
    { x: box.left, y: Math.round(y) },
    { x: box.left + box.width, y: Math.round(y + slope * box.width) },
  ];
}

function numbers(title: string, property: string): number[] | undefined {
  const parts = title.split(';').map((part) => part.trim().split(/\s+/));
  const found = parts
    .find(([name, first]) => name === property && first !== undefined)
    ?.slice(1)
    .map(Number);
  return found?.every(Number.isFinite) ? found : undefined;
}

/** Tesseract reads pictures and stains as words of one space. */
function withoutEmpty(page: Page): Page {
  for (const region of page.regions) {
    for (const paragraph of region.paragraphs) {
      for (const line of paragraph.lines) {
        for (const word of line.words) word.text = word.text.trim();
        line.words = line.words.filter((word) => word.text !== '');
      }
      paragraph.lines = paragraph.lines.filter((line) => line.words.length > 0);
    }
    region.paragraphs = region.paragraphs.filter((paragraph) => paragraph.lines.length > 0);
  }
  page.regions = page.regions.filter((region) => region.kind !== 'text' || region.paragraphs.length > 0);
  return page;
}
