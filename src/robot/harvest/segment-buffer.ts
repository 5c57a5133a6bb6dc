import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import type { Scan } from '../scans/scan.ts';
import type { CorpusDocument } from '../text/corpus/document.ts';
import { jsonLine, plainText, vertical } from '../text/corpus/lines.ts';
import type { Fingerprint } from '../text/fingerprint.ts';
import { encodeText } from '../text/html/encode-text.ts';
import { documentLine, type RecordEntry, recordLine } from './segment-index.ts';

/** The parts of a segment. Each is a run of whole gzip members, so segments make files by being appended. */
export const partNames = ['index', 'documents', 'text', 'corpus', 'warc', 'requests'] as const;
export type PartName = (typeof partNames)[number];

const compress = promisify(gzip);
/** A third of the time of the default level, for a tenth more bytes. */
const level = 3;
/** For a few kilobytes, a higher level saves 2 % and takes half as long again. */
const recordLevel = 1;

const smallRecord = 20_000;

type TextEncoding = Parameters<typeof encodeText>[1];

/** Collects what is stored of a batch until the next report. */
export class SegmentBuffer {
  readonly #lines: Record<PartName, string[]> = {
    ...{ index: [], documents: [], text: [], corpus: [], warc: [], requests: [] },
  };
  readonly #records: Buffer[] = [];
  readonly scans: Scan[] = [];
  pages = 0;
  bytes = 0;
  /** How the bytes of the plain text are written in its lines: encoded ones as characters below 256. */
  readonly #textAs: 'utf8' | 'latin1';
  readonly #encoding: TextEncoding;

  /** The encoding is that of the plain text. */
  constructor(encoding: TextEncoding = 'utf-8') {
    this.#encoding = encoding;
    this.#textAs = encoding === 'utf-8' ? 'utf8' : 'latin1';
  }

  #add(part: Exclude<PartName, 'warc'>, text: string): void {
    this.#lines[part].push(text);
    this.bytes += text.length;
  }

  /** The rules come before the requests that were made under them, so that a log can be checked by itself. */
  addRequest(line: object, rules: object): void {
    if (this.#lines.requests.length === 0) this.#add('requests', `${JSON.stringify({ rules })}\n`);
    this.#add('requests', `${JSON.stringify(line)}\n`);
  }

  /** Readers of WARC files want every record to be a gzip member of its own. */
  addRecord({ bytes }: { bytes: Buffer }, entry: Omit<RecordEntry, 'length'>): void {
    // For a few kilobytes, handing them to another thread costs eight times as much as compressing them.
    const member = gzipSync(bytes, { level: bytes.length < smallRecord ? recordLevel : level });
    this.#records.push(member);
    this.bytes += bytes.length;
    this.#add('index', recordLine({ ...entry, length: member.length }));
  }

  /** What is of no use stays on record, but is no part of the corpus. */
  addDocument(document: CorpusDocument, print: Fingerprint): void {
    this.#add('documents', jsonLine({ ...document, ...print }));
    const isUseful = document.usability !== 0;
    const [text, corpus] = isUseful ? [this.#encoded(plainText(document)), vertical(document)] : ['', ''];
    if (isUseful) {
      this.#add('text', text);
      this.#add('corpus', corpus);
    }
    const { finalUrl, url, fetchedAt, words = 0 } = document;
    const entry = {
      ...{ url: `${finalUrl ?? url}`, fetchedAt, words: Number(words), ...print },
      ...{ text: Buffer.byteLength(text, this.#textAs), corpus: Buffer.byteLength(corpus) },
    };
    this.#add('index', documentLine(entry));
  }

  #encoded(text: string): string {
    if (this.#encoding === 'utf-8') return text;
    return Buffer.from(encodeText(text, this.#encoding)).toString('latin1');
  }

  /** Pages that somebody else has to read. */
  addScan(scan: Scan): void {
    this.scans.push(scan);
    for (const image of scan.images) this.bytes += image.length;
  }

  /** The parts compressed, in the order of their names. */
  async seal(): Promise<{ name: PartName; content: Buffer }[]> {
    const sealed = await Promise.all(
      partNames.map(async (name) => {
        const lines = this.#lines[name];
        const content =
          name === 'warc'
            ? Buffer.concat(this.#records)
            : lines.length > 0
              ? await compress(Buffer.from(lines.join(''), name === 'text' ? this.#textAs : 'utf8'), {
                  level,
                })
              : Buffer.alloc(0);
        return { name, content };
      }),
    );
    return sealed.filter(({ content }) => content.length > 0);
  }
}
