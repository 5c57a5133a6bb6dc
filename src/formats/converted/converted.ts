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
  return found.map(withoutPunctuation);
}

/** Marks at the end belong to the sentence. */
function withoutPunctuation(url: string): string {
  let end = url.length;
  while (end > 0 && '.,;:!?'.includes(url.charAt(end - 1))) end -= 1;
  return url.slice(0, end);
}

/** Without spaces and tabs at the ends of lines. An expression would search long runs of spaces again from each of them. */
export function trimLineEnds(text: string): string {
  if (!/[ \t]\n/.test(text)) return text;
  let trimmed = '';
  let from = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    let to = end;
    while (to > from && (text[to - 1] === ' ' || text[to - 1] === '\t')) to -= 1;
    if (to === end) continue;
    trimmed += text.slice(from, to);
    from = end;
  }
  return trimmed + text.slice(from);
}
