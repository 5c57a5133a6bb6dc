/**
 * A function that meets foreign text: what a stranger uploads, serves, sends or types. Each part of src/ lists its own in
 * `testing/foreign-text.ts`; `npm test` finds functions that are missing there, and `npm run prove -- growth` measures how their
 * cost grows with hostile texts that are made of the tokens.
 */
export interface ForeignReader {
  /** One call with a text of any size. Bytes come as `latin1(text)`. */
  read(text: string): unknown;
  /** Texts that it accepts. `…` is a place where hostile text goes, and stands for nothing otherwise. */
  samples: readonly string[];
  /** What the format is made of: signs, keywords, openings, ends. */
  tokens: readonly string[];
  /** The most characters that one call gets, and what sees to that. Without a limit it is measured as far as 4 MB. */
  limit?: readonly [characters: number, because: string];
}

export interface ForeignText {
  /** By file below the part's folder and name: `model/address.ts parseContact`. */
  readers: Readonly<Record<string, ForeignReader>>;
  /** Functions that are only named like readers of foreign text, and what they read instead. */
  excused: Readonly<Record<string, string>>;
}

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

/** The bytes in pieces, as a file or a connection brings them. */
export async function* inPieces(text: string, size = 65_536): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads all that a generator makes. */
export async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

export const markupTokens = ['<', '>', '<a ', '</a>', '="', '<!--', '-->', '<![CDATA[', ']]>', '&amp;', '&'];
export const lineTokens = ['\n', '\r\n', ' ', ':', '=', '#', ','];
