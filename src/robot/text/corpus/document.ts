/** A page or file of the corpus. Keys that are not listed here go to the JSON line as they are. */
export interface CorpusDocument {
  url: string;
  /** Where redirects led, if elsewhere. */
  finalUrl?: string | undefined;
  depth: number;
  /** Milliseconds since 1970. */
  fetchedAt: number;
  lastModified?: string | undefined;
  expires?: string | undefined;
  title?: string | undefined;
  author?: string | undefined;
  date?: string | undefined;
  usability?: number | undefined;
  language?: string | undefined;
  text?: string | undefined;
  /** Sentences by paragraph, as `segment` gives them; without them the document is in no text and no vertical file. */
  paragraphs?: readonly (readonly string[])[] | undefined;
  /** What it was made of: html, pdf, feed... */
  sourceKind?: string | undefined;
  /** What robots.txt, meta tags and headers allow. */
  decision?: unknown;
  /** What the server answered, for the WARC; without it the document is in no WARC. */
  response?: WebResponse | undefined;
  [key: string]: unknown;
}

export interface WebResponse {
  status: number;
  reason?: string | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  /** Without content and transfer encoding. */
  body: Uint8Array;
  /** The address that was contacted. */
  address?: string | undefined;
}
