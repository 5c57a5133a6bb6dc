import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { RecordEntry } from '../segments/segment-index.ts';
import { indexLine } from '../text/corpus/index-line.ts';
import { dateOf, linesOf, mostKnownBodies } from '../text/corpus/segments.ts';
import { type EarlierRecord, infoRecord, toRevisit } from '../text/corpus/warc.ts';
import { append, fileOf, nextPosition, type Positions } from './export-files.ts';

const [unpack, pack] = [promisify(gunzip), promisify(gzip)];

/** The WARC files of an export with their indexes. A body that is already stored becomes a `revisit`, whichever harvester fetched it. */
export class WarcFiles {
  readonly #directory: string;
  /** Bodies stored by the last files, by digest. */
  readonly #known = new Map<string, EarlierRecord>();
  readonly #unsorted = new Set<number>();

  private constructor(directory: string) {
    this.#directory = directory;
  }

  static async open(directory: string, positions: Positions): Promise<WarcFiles> {
    const files = new WarcFiles(directory);
    const last = positions.cdxj?.number ?? 0;
    for (let number = Math.max(1, last - 2); number <= last; number++)
      for (const line of await files.#linesOf(number)) files.#know(line);
    return files;
  }

  /** Appends the records of segments. Those of earlier versions have no entries, and are only archived. */
  async append(
    positions: Positions,
    segments: readonly { content: Buffer; records: readonly RecordEntry[] }[],
  ): Promise<void> {
    if (segments.every(({ content }) => content.length === 0)) return;
    const before = positions.warc?.number;
    const { number, size } = nextPosition(positions, 'warc');
    const filename = basename(fileOf(this.#directory, 'warc', number));
    const pieces: Buffer[] = [];
    if (size === 0)
      pieces.push(await pack(infoRecord({ software: 'Pismak' }, filename, new Date().toISOString())));
    let offset = size + (pieces[0]?.length ?? 0);
    const lines: string[] = [];
    for (const { content, records } of segments) {
      let from = 0;
      for (const { length, ...record } of records) {
        const stored = content.subarray(from, from + length);
        from += length;
        const earlier = record.revisit ? undefined : this.#known.get(record.digest);
        const piece = earlier ? await pack(toRevisit(await unpack(stored), earlier)) : stored;
        const revisit = record.revisit || earlier !== undefined;
        lines.push(indexLine({ ...record, revisit, filename, offset, length: piece.length }));
        if (!revisit) this.#remember(record.digest, record);
        pieces.push(piece);
        offset += piece.length;
      }
      pieces.push(content.subarray(from));
      offset += content.length - from;
    }
    if (before !== undefined && before !== number) positions.cdxj = { number, size: 0 };
    await append(this.#directory, positions, 'warc', Buffer.concat(pieces));
    if (lines.length === 0) return;
    await append(this.#directory, positions, 'cdxj', Buffer.from(lines.join('')));
    this.#unsorted.add(number);
  }

  /** Sorts the indexes, so that readers find a URL, or all URLs of a host, by bisection. */
  async sortIndexes(): Promise<void> {
    for (const number of this.#unsorted) {
      const sorted = fileOf(this.#directory, 'cdxj', number).replace('.pismak-', 'pismak-');
      const lines = (await this.#linesOf(number)).sort();
      await writeFile(`${sorted}.new`, lines.map((line) => `${line}\n`).join(''), { flush: true });
      await rename(`${sorted}.new`, sorted);
    }
    this.#unsorted.clear();
  }

  async #linesOf(number: number): Promise<string[]> {
    return linesOf(await readFile(fileOf(this.#directory, 'cdxj', number), 'utf8').catch(() => ''));
  }

  #know(line: string): void {
    const [, stamp = '', json = '{}'] = /^\S+ (\d{14}) (.*)$/.exec(line) ?? [];
    const { url, digest, mime } = JSON.parse(json) as { url?: string; digest?: string; mime?: string };
    if (url !== undefined && digest !== undefined && mime !== 'warc/revisit')
      this.#remember(digest, { url, date: dateOf(stamp) });
  }

  #remember(digest: string, { url, date }: EarlierRecord): void {
    if (digest === emptyBody || this.#known.has(digest)) return;
    if (this.#known.size >= mostKnownBodies) this.#known.clear();
    this.#known.set(digest, { url, date });
  }
}

/** Digest of an empty body: replacing it with a `revisit` would save nothing. */
const emptyBody = 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ';
