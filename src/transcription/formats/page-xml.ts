import { createXmlWriter, type XmlWriter } from '../../formats/markup/write-xml.ts';
import type { Line, Page, Paragraph, Region } from '../page/page.ts';
import { lineText, paragraphText, tableRows, wordText } from '../text/text.ts';
import { type About, creator } from './about.ts';
import { languageName } from './languages.ts';
import { baselinePoints, corners, formatConfidence, meanConfidence, onPage, points } from './outline.ts';

const namespace = 'http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15';
const elementOf = { image: 'ImageRegion', table: 'TableRegion', separator: 'SeparatorRegion' } as const;

/**
 * PAGE XML 2019-07-15. Each paragraph is a top-level text region, because many readers look only at the top level. Text
 * inside a table or an image is nested in its region.
 */
export function toPageXml(page: Page, about: About): string {
  const xml = createXmlWriter();
  const time = about.created.toISOString();
  xml.element('PcGts', { xmlns: namespace }, () => {
    xml.element('Metadata', {}, () => {
      xml.element('Creator', {}, creator(page.producer));
      xml.element('Created', {}, time);
      xml.element('LastChange', {}, time);
      for (const value of page.steps ?? []) writeStep(xml, 'preprocessing', value);
      if (page.producer !== undefined) writeStep(xml, 'recognition', page.producer);
    });
    const attributes = {
      imageFilename: about.image ?? about.name,
      imageWidth: page.width,
      imageHeight: page.height,
      ...(page.dpi === undefined
        ? {}
        : { imageXResolution: page.dpi, imageYResolution: page.dpi, imageResolutionUnit: 'PPI' }),
      // Clockwise, from -179.999 to 180.
      orientation: page.turn === 270 ? -90 : page.turn,
      type: 'content',
      primaryLanguage: languageName(page.language),
      conf: formatConfidence(page.confidence),
    };
    xml.element('Page', attributes, () => {
      if (about.prepared !== undefined)
        xml.element('AlternativeImage', { filename: about.prepared, comments: page.steps?.join('; ') });
      const { border } = page;
      if (border)
        xml.element('Border', {}, () => xml.element('Coords', { points: corners(onPage(border, page)) }));
      writeReadingOrder(xml, page);
      for (const [index, region] of page.regions.entries()) writeRegion(xml, page, region, `r${index + 1}`);
      for (const [index, box] of (page.unread?.boxes ?? []).entries())
        xml.element('UnknownRegion', { id: `u${index + 1}`, comments: 'looks like text, unread' }, () =>
          xml.element('Coords', { points: corners(onPage(box, page)) }),
        );
    });
  });
  return xml.toString();
}

function writeStep(xml: XmlWriter, name: string, value: string): void {
  xml.element('MetadataItem', { type: 'processingStep', name, value });
}

function writeReadingOrder(xml: XmlWriter, page: Page): void {
  const ids = page.regions.flatMap((region, index) => topLevelIds(region, `r${index + 1}`));
  if (ids.length === 0) return;
  xml.element('ReadingOrder', {}, () =>
    xml.element('OrderedGroup', { id: 'order' }, () => {
      for (const [index, regionRef] of ids.entries()) xml.element('RegionRefIndexed', { index, regionRef });
    }),
  );
}

function topLevelIds(region: Region, id: string): string[] {
  if (region.kind === 'separator') return [];
  if (region.kind !== 'text' || region.paragraphs.length === 0) return [id];
  return region.paragraphs.map((_, index) => `${id}p${index + 1}`);
}

function writeRegion(xml: XmlWriter, page: Page, region: Region, id: string): void {
  const paragraphs = () => {
    for (const [index, paragraph] of region.paragraphs.entries()) {
      writeParagraph(xml, page, paragraph, `${id}p${index + 1}`);
    }
  };
  if (region.kind === 'text' && region.paragraphs.length > 0) {
    paragraphs();
    return;
  }
  const name = region.kind === 'text' ? 'TextRegion' : elementOf[region.kind];
  const rows = tableRows(region);
  const size = rows && { rows: rows.length, columns: rows[0]?.length };
  xml.element(name, { id, ...size }, () => {
    xml.element('Coords', { points: corners(onPage(region.box, page)) });
    paragraphs();
  });
}

function writeParagraph(xml: XmlWriter, page: Page, paragraph: Paragraph, id: string): void {
  xml.element('TextRegion', { id, type: 'paragraph' }, () => {
    xml.element('Coords', { points: corners(onPage(paragraph.box, page)) });
    const { cell } = paragraph;
    if (cell)
      xml.element('Roles', {}, () =>
        xml.element('TableCellRole', {
          rowIndex: cell.row,
          columnIndex: cell.column,
          rowSpan: cell.rowSpan,
          colSpan: cell.columnSpan,
        }),
      );
    for (const [index, line] of paragraph.lines.entries()) writeLine(xml, page, line, `${id}l${index + 1}`);
    writeText(xml, paragraphText(paragraph), meanConfidence(paragraph.lines));
  });
}

function writeLine(xml: XmlWriter, page: Page, line: Line, id: string): void {
  xml.element('TextLine', { id }, () => {
    xml.element('Coords', { points: corners(onPage(line.box, page)) });
    const baseline = baselinePoints(line, page);
    if (baseline !== undefined) xml.element('Baseline', { points: points(baseline) });
    for (const [index, word] of line.words.entries()) {
      xml.element('Word', { id: `${id}w${index + 1}` }, () => {
        xml.element('Coords', { points: corners(onPage(word.box, page)) });
        writeText(xml, wordText(word.text), word.confidence);
      });
    }
    writeText(xml, lineText(line), meanConfidence([line]));
  });
}

function writeText(xml: XmlWriter, text: string, confidence: number | undefined): void {
  if (text === '') return;
  xml.element('TextEquiv', { conf: formatConfidence(confidence) }, () => xml.element('Unicode', {}, text));
}
