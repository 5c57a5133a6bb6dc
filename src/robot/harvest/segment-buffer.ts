import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';

/** The parts of a segment. Each is a run of whole gzip members, so segments make files by being appended. */
export const partNames = ['documents', 'text', 'corpus', 'warc', 'requests'] as const;
export type PartName = (typeof partNames)[number];

const compress = promisify(gzip);
/** Half the time of the default level, for a tenth more bytes. */
const level = 4;

/** Collects what is stored of a batch until the next report. */
export class SegmentBuffer {
  #lines: Record<PartName, string[]> = { documents: [], text: [], corpus: [], warc: [], requests: [] };
  readonly #records: Buffer[] = [];
  pages = 0;
  bytes = 0;

  add(part: Exclude<PartName, 'warc'>, text: string): void {
    this.#lines[part].push(text);
    this.bytes += text.length;
  }

  /** The rules come before the requests that were made under them, so that a log can be checked by itself. */
  addRequest(line: object, rules: object): void {
    if (this.#lines.requests.length === 0) this.add('requests', `${JSON.stringify({ rules })}\n`);
    this.add('requests', `${JSON.stringify(line)}\n`);
  }

  /** Readers of WARC files want every record to be a gzip member of its own. */
  addRecord(record: Buffer): void {
    // For a few kilobytes, handing them to another thread costs eight times as much as compressing them.
    this.#records.push(gzipSync(record, { level }));
    this.bytes += record.length;
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
              ? await compress(lines.join(''), { level })
              : Buffer.alloc(0);
        return { name, content };
      }),
    );
    return sealed.filter(({ content }) => content.length > 0);
  }
}
