/** A page or file of the corpus. Other keys are copied to the JSON line. */
export interface CorpusDocument {
  url: string;
  /** The URL after redirects. */
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
  /** Sentences by paragraph, from `segment`; without them the document has no plain text and no vertical. */
  paragraphs?: readonly (readonly string[])[] | undefined;
  /** What it was made of: html, pdf, feed... */
  sourceKind?: string | undefined;
  /** What robots.txt, meta tags and headers allow. */
  decision?: unknown;
  /** The server's answer; without it the document is not archived. */
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
