import { createXmlWriter, type XmlWriter } from '../../formats/markup/write-xml.ts';
import type { Box, Line, Page, Paragraph, Region, Word } from '../page/page.ts';
import { type Hyphenation, hyphenated } from '../text/hyphenation.ts';
import { wordText } from '../text/text.ts';
import { type About, writer } from './about.ts';
import { firstLanguage } from './languages.ts';
import { baselinePoints, formatConfidence, onPage, points } from './outline.ts';

const namespace = 'http://www.loc.gov/standards/alto/ns-v4#';

/** ALTO 4.2 (baselines as lists of points), in pixels. Omits lines without words, which ALTO does not allow. */
export function toAlto(page: Page, about: About): string {
  const xml = createXmlWriter();
  xml.element('alto', { xmlns: namespace, SCHEMAVERSION: '4.2' }, () => {
    writeDescription(xml, page, about);
    xml.element('Layout', {}, () => {
      const attributes = {
        ID: 'page',
        PHYSICAL_IMG_NR: about.number,
        HEIGHT: page.height,
        WIDTH: page.width,
        PC: formatConfidence(page.confidence),
      };
      xml.element('Page', attributes, () => {
        const whole = { left: 0, top: 0, width: page.width, height: page.height };
        xml.element('PrintSpace', place(whole, page), () => {
          for (const [index, region] of page.regions.entries())
            writeRegion(xml, page, region, `r${index + 1}`);
        });
      });
    });
  });
  return xml.toString();
}

function writeDescription(xml: XmlWriter, page: Page, about: About): void {
  xml.element('Description', {}, () => {
    xml.element('MeasurementUnit', {}, 'pixel');
    xml.element('sourceImageInformation', {}, () => xml.element('fileName', {}, about.image ?? about.name));
    // Deprecated in favour of `Processing`, but still what readers look for.
    xml.element('OCRProcessing', { ID: 'ocr' }, () => {
      for (const step of page.steps ?? [])
        xml.element('preProcessingStep', {}, () => xml.element('processingStepDescription', {}, step));
      xml.element('ocrProcessingStep', {}, () => {
        xml.element('processingDateTime', {}, about.created.toISOString());
        if (page.producer !== undefined) xml.element('processingStepDescription', {}, page.producer);
        xml.element('processingSoftware', {}, () => {
          xml.element('softwareName', {}, writer.name);
          xml.element('softwareVersion', {}, writer.version);
        });
      });
    });
  });
}

function writeRegion(xml: XmlWriter, page: Page, region: Region, id: string): void {
  const attributes = { ID: id, ...place(region.box, page) };
  const paragraphs = () => {
    for (const [index, paragraph] of region.paragraphs.entries()) {
      writeBlock(xml, page, paragraph, `${id}p${index + 1}`);
    }
  };
  if (region.kind === 'separator') xml.element('GraphicalElement', attributes);
  else if (region.kind === 'image') {
    xml.element('Illustration', attributes);
    paragraphs();
  } else if (region.kind === 'table')
    xml.element('ComposedBlock', { ...attributes, TYPE: 'table' }, paragraphs);
  else xml.element('ComposedBlock', { ...attributes, TYPE: 'container' }, paragraphs);
}

function writeBlock(xml: XmlWriter, page: Page, paragraph: Paragraph, id: string): void {
  const lines = paragraph.lines.filter((line) => line.words.some((word) => wordText(word.text) !== ''));
  const hyphens = hyphenated(lines);
  const attributes = {
    ID: id,
    ...place(paragraph.box, page),
    LANG: firstLanguage(page.language),
    // Counterclockwise; the inner elements inherit it.
    ROTATION: page.turn === 0 ? undefined : page.turn,
  };
  xml.element('TextBlock', attributes, () => {
    for (const [index, line] of lines.entries()) {
      writeLine(xml, page, line, `${id}l${index + 1}`, { before: hyphens[index - 1], after: hyphens[index] });
    }
  });
}

interface AroundLine {
  /** The hyphenation at the start of the line, and the one at its end. */
  before: Hyphenation | undefined;
  after: Hyphenation | undefined;
}

function writeLine(xml: XmlWriter, page: Page, line: Line, id: string, around: AroundLine): void {
  const baseline = baselinePoints(line, page);
  const attributes = {
    ID: id,
    ...place(line.box, page),
    BASELINE: baseline === undefined ? undefined : points(baseline),
  };
  const words = line.words.filter((word) => wordText(word.text) !== '');
  xml.element('TextLine', attributes, () => {
    for (const [index, word] of words.entries()) {
      const previous = words[index - 1];
      if (previous !== undefined) xml.element('SP', gap(previous.box, word.box, page));
      const first = index === 0 ? around.before : undefined;
      const last = index === words.length - 1 ? around.after : undefined;
      writeString(xml, page, word, `${id}w${index + 1}`, first, last);
    }
    if (around.after !== undefined) xml.element('HYP', { CONTENT: around.after.hyphen });
  });
}

function writeString(
  xml: XmlWriter,
  page: Page,
  word: Word,
  id: string,
  first: Hyphenation | undefined,
  last: Hyphenation | undefined,
): void {
  const part = last ?? first;
  xml.element('String', {
    ID: id,
    ...place(word.box, page),
    WC: formatConfidence(word.confidence),
    CONTENT: last === undefined ? wordText(word.text) : last.beginning,
    SUBS_TYPE: part === undefined ? undefined : last === undefined ? 'HypPart2' : 'HypPart1',
    SUBS_CONTENT: part?.whole,
  });
}

function place(box: Box, page: Page): { HPOS: number; VPOS: number; WIDTH: number; HEIGHT: number } {
  const { left, top, width, height } = onPage(box, page);
  return { HPOS: left, VPOS: top, WIDTH: width, HEIGHT: height };
}

/** The space between two words. Without dimensions if they overlap or run from right to left. */
function gap(before: Box, after: Box, page: Page) {
  const left = before.left + before.width;
  if (after.left < left) return {};
  const { HPOS, VPOS, WIDTH } = place({ ...after, left, width: after.left - left }, page);
  return { HPOS, VPOS, WIDTH };
}
