export type DocumentKind =
  | 'html'
  | 'pdf'
  | 'doc'
  | 'docx'
  | 'odt'
  | 'rtf'
  | 'pptx'
  | 'txt'
  | 'feed'
  | 'mbox'
  | 'sitemap';

/** Text of a file that is no web page. */
export interface Converted {
  kind: DocumentKind;
  /** Empty if there is none: a PDF of scanned pages, say. */
  text: string;
  title?: string | undefined;
  author?: string | undefined;
  date?: string | undefined;
  /** Absolute addresses. */
  links: string[];
  /** What a page says to robots, as in an X-Robots-Tag header. */
  metaRobots?: string[];
  /** The messages of an mbox archive; each is a document of its own. */
  messages?: ConvertedMessage[];
}

export interface ConvertedMessage {
  fragment: string;
  title: string;
  author?: string | undefined;
  date?: string | undefined;
  text: string;
}

/** Text longer than this is cut: no document is. */
export const longestText = 20_000_000;

/** Addresses that a text names. */
export function linksIn(text: string): string[] {
  const found = text.match(/\bhttps?:\/\/[^\s<>"'“”„)\]}]+/g) ?? [];
  return found.map((url) => url.replace(/[.,;:!?]+$/, ''));
}
