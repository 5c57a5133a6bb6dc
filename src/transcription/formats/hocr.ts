import { createXmlWriter, type XmlWriter } from '../../formats/markup/write-xml.ts';
import type { Box, Line, Page, Paragraph, Region } from '../page/page.ts';
import { wordText } from '../text/text.ts';
import { type About, creator } from './about.ts';
import { withoutOverlaps } from './apart.ts';
import { languageTag } from './languages.ts';
import { baselinePoints, onPage } from './outline.ts';

const doctype =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">\n';
const classOf = {
  text: 'ocr_carea',
  table: 'ocr_table',
  image: 'ocr_photo',
  separator: 'ocr_separator',
} as const;

/** hOCR 1.2 as XHTML. */
export function toHocr(whole: Page, about: About): string {
  const page = withoutOverlaps(whole);
  const xml = createXmlWriter(doctype);
  const lang = languageTag(page.language);
  xml.element('html', { xmlns: 'http://www.w3.org/1999/xhtml', lang, 'xml:lang': lang }, () => {
    xml.element('head', {}, () => {
      xml.element('title', {}, about.name || 'page');
      xml.element('meta', { 'http-equiv': 'Content-Type', content: 'text/html; charset=utf-8' });
      xml.element('meta', { name: 'ocr-system', content: creator(page.producer) });
      const capabilities = `ocr_page ${Object.values(classOf).join(' ')} ocr_par ocr_line ocrx_word ocrp_wconf`;
      xml.element('meta', { name: 'ocr-capabilities', content: capabilities });
    });
    xml.element('body', {}, () => {
      const all = { left: 0, top: 0, width: page.width, height: page.height };
      const resolution = page.dpi === undefined ? '' : `; scan_res ${page.dpi} ${page.dpi}`;
      const title = `image ${quoted(about.image ?? about.name)}; ${bbox(all, page)}; ppageno ${about.number - 1}${resolution}${turned(page)}`;
      xml.element('div', { class: 'ocr_page', id: 'page_1', title }, () => {
        for (const [index, region] of page.regions.entries()) writeRegion(xml, page, region, index + 1);
      });
    });
  });
  return xml.toString();
}

function writeRegion(xml: XmlWriter, page: Page, region: Region, number: number): void {
  const attributes = { class: classOf[region.kind], id: `block_1_${number}`, title: bbox(region.box, page) };
  xml.element('div', attributes, () => {
    for (const [index, paragraph] of region.paragraphs.entries()) {
      writeParagraph(xml, page, paragraph, `${number}_${index + 1}`);
    }
  });
}

function writeParagraph(xml: XmlWriter, page: Page, paragraph: Paragraph, id: string): void {
  xml.element('p', { class: 'ocr_par', id: `par_1_${id}`, title: bbox(paragraph.box, page) }, () => {
    for (const [index, line] of paragraph.lines.entries()) {
      writeLine(xml, page, line, `${id}_${index + 1}`);
    }
  });
}

function writeLine(xml: XmlWriter, page: Page, line: Line, id: string): void {
  const title = `${bbox(line.box, page)}${baseline(line, page)}`;
  xml.element('span', { class: 'ocr_line', id: `line_1_${id}`, title }, () => {
    for (const [index, word] of line.words.entries()) {
      const { confidence } = word;
      const text = wordText(word.text);
      if (text === '') continue;
      const sure = confidence === undefined ? '' : `; x_wconf ${Math.round(confidence * 100)}`;
      const attributes = {
        class: 'ocrx_word',
        id: `word_1_${id}_${index + 1}`,
        title: `${bbox(word.box, page)}${sure}`,
      };
      xml.element('span', attributes, text);
    }
  });
}

/** How far the text is turned, counterclockwise. */
function turned({ turn = 0 }: Page): string {
  return turn === 0 ? '' : `; textangle ${turn}`;
}

function bbox(box: Box, page: Page): string {
  const { left, top, width, height } = onPage(box, page);
  return `bbox ${left} ${top} ${left + width} ${top + height}`;
}

/** Slope and offset, relative to the lower left corner of the line's box. */
function baseline(line: Line, page: Page): string {
  const list = baselinePoints(line, page);
  const first = list?.[0];
  const last = list?.at(-1);
  if (first === undefined || last === undefined || last.x === first.x) return '';
  const { left, top, height } = onPage(line.box, page);
  const slope = (last.y - first.y) / (last.x - first.x);
  const offset = first.y + slope * (left - first.x) - (top + height);
  return `; baseline ${Number(slope.toFixed(4))} ${Math.round(offset)}`;
}

/** A string inside `title`, where quotes and semicolons are syntax. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\;]/g, '_').replaceAll(/\s+/g, ' ')}"`;
}
