import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { CorpusDocument } from '../text/corpus/document.ts';
import { jsonLine, plainText, vertical } from '../text/corpus/lines.ts';
import type { Fingerprint } from '../text/fingerprint.ts';
import { encodeText } from '../text/html/encode-text.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { documentLine, type RecordEntry, recordLine } from './segment-index.ts';

/** The parts of a segment. Each is a run of whole gzip members, so appending the parts of segments gives a valid file. */
export const partNames = ['index', 'documents', 'text', 'corpus', 'warc', 'requests'] as const;
export type PartName = (typeof partNames)[number];

const compress = promisify(gzip);
/** Takes a third of the time of the default level, for a tenth more bytes. */
const level = 3;
/** For a few kilobytes, a higher level saves 2 % and takes half as long again. */
const recordLevel = 1;

const smallRecord = 20_000;

/** A file whose pages are images: each page becomes a document when a pipeline has read it. */
export interface Scan {
  /** What is known of the document. */
  document: CorpusDocument;
  images: Uint8Array[];
}

type TextEncoding = Parameters<typeof encodeText>[1];

/** Collects what a harvester stores for a batch until its next report. */
export class SegmentBuffer {
  readonly #parts: Record<PartName, GrowingBytes> = {
    index: new GrowingBytes(),
    documents: new GrowingBytes(),
    text: new GrowingBytes(),
    corpus: new GrowingBytes(),
    warc: new GrowingBytes(),
    requests: new GrowingBytes(),
  };
  readonly scans: Scan[] = [];
  pages = 0;
  bytes = 0;
  readonly #encoding: TextEncoding;

  /** `encoding` is that of the plain text. */
  constructor(encoding: TextEncoding = 'utf-8') {
    this.#encoding = encoding;
  }

  /** Returns how many bytes it took. */
  #add(part: Exclude<PartName, 'warc'>, text: string, encoding?: 'latin1'): number {
    const length = this.#parts[part].write(text, encoding);
    this.bytes += length;
    return length;
  }

  /** Logs the rules before the requests made under them, so that a log can be checked by itself. */
  addRequest(line: object, rules: object): void {
    if (this.#parts.requests.length === 0) this.#add('requests', `${JSON.stringify({ rules })}\n`);
    this.#add('requests', `${JSON.stringify(line)}\n`);
  }

  /** Readers of WARC files expect every record in a gzip member of its own. */
  addRecord({ bytes }: { bytes: Buffer }, entry: Omit<RecordEntry, 'length'>): void {
    // Handing a few kilobytes to another thread costs eight times as much as compressing them here.
    const member = gzipSync(bytes, { level: bytes.length < smallRecord ? recordLevel : level });
    this.#parts.warc.append(member);
    this.bytes += bytes.length;
    this.#add('index', recordLine({ ...entry, length: member.length }));
  }

  /** Documents with usability 0 are listed, but are not part of the corpus. */
  addDocument(document: CorpusDocument, print: Fingerprint): void {
    this.#add('documents', jsonLine({ ...document, ...print }));
    const isUseful = document.usability !== 0;
    const text = isUseful ? this.#addText(plainText(document)) : 0;
    const corpus = isUseful ? this.#add('corpus', vertical(document)) : 0;
    const { finalUrl, url, fetchedAt, words = 0 } = document;
    const entry = { url: `${finalUrl ?? url}`, fetchedAt, words: Number(words), ...print, text, corpus };
    this.#add('index', documentLine(entry));
  }

  #addText(text: string): number {
    if (this.#encoding === 'utf-8') return this.#add('text', text);
    return this.#add('text', Buffer.from(encodeText(text, this.#encoding)).toString('latin1'), 'latin1');
  }

  /** Adds pages that a pipeline has to read. */
  addScan(scan: Scan): void {
    this.scans.push(scan);
    for (const image of scan.images) this.bytes += image.length;
  }

  /** Compresses the parts and concatenates them in the order of `partNames`. Nothing can be added afterwards. */
  async seal(): Promise<{ content: Uint8Array; parts: { name: PartName; length: number }[] }> {
    const sealed = await Promise.all(
      partNames.map(async (name) => {
        const part = this.#parts[name];
        // The records are compressed already.
        if (part.length === 0 || name === 'warc') return { name, bytes: part.content };
        return { name, bytes: await compress(part.content, { level }) };
      }),
    );
    const parts = sealed.flatMap(({ name, bytes: { length } }) => (length > 0 ? [{ name, length }] : []));
    // Not from the pool: the whole buffer is transferred to another thread.
    const content = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const { bytes } of sealed) at += bytes.copy(content, at);
    for (const name of partNames) this.#parts[name].giveBack();
    return { content, parts };
  }
}
