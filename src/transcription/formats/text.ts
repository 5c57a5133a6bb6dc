import type { Line, Page, Paragraph } from '../page.ts';

/** Plain text with the line breaks and hyphens of the page, and an empty line between paragraphs. */
export function toText(page: Page): string {
  const paragraphs = page.regions
    .flatMap((region) => region.paragraphs)
    .map(paragraphText)
    .filter((text) => text !== '');
  return paragraphs.length === 0 ? '' : `${paragraphs.join('\n\n')}\n`;
}

export function paragraphText(paragraph: Paragraph): string {
  return paragraph.lines
    .map(lineText)
    .filter((text) => text !== '')
    .join('\n');
}

export function lineText(line: Line): string {
  return line.words
    .map((word) => wordText(word.text))
    .filter((text) => text !== '')
    .join(' ');
}

/** The word on one line, without control characters and outer spaces, whatever the recogniser put into it. */
export function wordText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '')
    .trim();
}
