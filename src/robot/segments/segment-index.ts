import { z } from 'zod';
import type { Fingerprint } from '../text/fingerprint.ts';

/** A document of a segment: what decides whether its text belongs to the corpus, and where the text is. */
export interface DocumentEntry extends Fingerprint {
  url: string;
  fetchedAt: number;
  words: number;
  /** Bytes of its text in the parts `text` and `corpus`, uncompressed; documents follow each other in the order of the index. */
  text: number;
  corpus: number;
}

/** A WARC record of a segment; records follow each other in the order of the index. */
export interface RecordEntry {
  url: string;
  /** ISO 8601. */
  date: string;
  status: number;
  mime: string;
  digest: string;
  revisit: boolean;
  /** Compressed. */
  length: number;
}

const documentSchema = z.object({
  url: z.string(),
  fetchedAt: z.number(),
  words: z.number(),
  exact: z.string(),
  near: z.string().transform((hex) => BigInt(`0x${hex}`)),
  text: z.number(),
  corpus: z.number(),
});
const recordSchema = z.object({
  url: z.string(),
  date: z.string(),
  status: z.number(),
  mime: z.string(),
  digest: z.string(),
  revisit: z.boolean(),
  length: z.number(),
});

export function documentLine({ near, ...entry }: DocumentEntry): string {
  return `${JSON.stringify({ document: { ...entry, near: near.toString(16) } })}\n`;
}

export function recordLine(record: RecordEntry): string {
  return `${JSON.stringify({ record })}\n`;
}

/** Reads the part `index` of a segment, without records unless they are wanted. */
export function readSegmentIndex(
  text: string,
  { wantsRecords = true } = {},
): { documents: DocumentEntry[]; records: RecordEntry[] } {
  const documents: DocumentEntry[] = [];
  const records: RecordEntry[] = [];
  for (const line of text.split('\n')) {
    if (line === '' || (!wantsRecords && line.startsWith('{"record":'))) continue;
    const entry = JSON.parse(line) as { document?: unknown; record?: unknown };
    if (entry.document !== undefined) documents.push(documentSchema.parse(entry.document));
    if (entry.record !== undefined) records.push(recordSchema.parse(entry.record));
  }
  return { documents, records };
}
