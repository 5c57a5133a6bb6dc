import type { Page } from '../page/page.ts';
import { toText } from '../text/text.ts';
import type { About } from './about.ts';
import { toAlto } from './alto.ts';
import { toHocr } from './hocr.ts';
import { type ImageToEmbed, toPagePdf } from './page-pdf.ts';
import { toPageXml } from './page-xml.ts';
import { toTsv } from './tsv.ts';

/** An output format: how a page is written, and what its file is called everywhere. */
export interface OutputFormat {
  /** The file among the results of a page. */
  file: string;
  /** What follows the name of a page when its result is saved: `scan-0001.page.xml`. */
  ending: string;
  mediaType: string;
  /** `USE` of its files in METS. */
  use: string;
  /** Undefined if this page needs no such file. */
  write(
    page: Page,
    about: About,
    image: ImageToEmbed,
  ): string | Uint8Array | undefined | Promise<string | Uint8Array>;
}

/**
 * All output formats, by the names that users give them, in the order that help texts list them. To add a format, write its
 * entry here: `export`, the API, the commands, the ZIP and METS of a document take all they need from it.
 */
const table = {
  txt: { file: 'text.txt', ending: '.txt', mediaType: 'text/plain', use: 'TEXT', write: toText },
  page: {
    file: 'page.xml',
    ending: '.page.xml',
    mediaType: 'application/vnd.prima.page+xml',
    use: 'PAGE',
    write: toPageXml,
  },
  alto: {
    file: 'alto.xml',
    ending: '.alto.xml',
    mediaType: 'application/alto+xml',
    use: 'ALTO',
    write: toAlto,
  },
  hocr: { file: 'page.hocr', ending: '.hocr', mediaType: 'text/vnd.hocr+html', use: 'HOCR', write: toHocr },
  pdf: { file: 'page.pdf', ending: '.pdf', mediaType: 'application/pdf', use: 'PDF', write: toPagePdf },
  json: {
    file: 'page.json',
    ending: '.json',
    mediaType: 'application/json',
    use: 'JSON',
    // Every page has this file already: the stages work on it.
    write: () => undefined,
  },
  tsv: {
    file: 'tables.tsv',
    ending: '.tsv',
    mediaType: 'text/tab-separated-values',
    use: 'TSV',
    // Most pages have no table, and nobody wants a file that says so.
    write: (page: Page) => toTsv(page) || undefined,
  },
} satisfies Record<string, OutputFormat>;

/** The name of an output format. */
export type Format = keyof typeof table;

export const outputFormats: Readonly<Record<Format, OutputFormat>> = table;

/** The names of all formats, in the order of help texts. */
export const formats = Object.keys(table) as [Format, ...Format[]];

/** The file of each format among the results of a page. */
export const resultFiles = Object.fromEntries(
  formats.map((format) => [format, table[format].file]),
) as Readonly<Record<Format, string>>;

export function isFormat(name: string): name is Format {
  return Object.hasOwn(table, name);
}
