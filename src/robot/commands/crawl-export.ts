import { open, readFile, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import type { Client } from '../../terminal/client/client.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import { robotSegment, robotSegments } from '../operations/reading.ts';
import { infoRecord } from '../text/corpus/warc.ts';

const files: Readonly<Record<string, { folder: string; name: string; extension: string }>> = {
  documents: { folder: '', name: 'documents', extension: 'jsonl.gz' },
  text: { folder: '', name: 'text', extension: 'txt.gz' },
  corpus: { folder: '', name: 'corpus', extension: 'vert.gz' },
  warc: { folder: 'warc', name: 'pismak', extension: 'warc.gz' },
  requests: { folder: '', name: 'requests', extension: 'jsonl.gz' },
};

const stateSchema = z.object({
  crawl: z.string(),
  after: z.number(),
  /** The file that each part is written to now, and how long it is. */
  files: z.record(z.string(), z.object({ number: z.number(), size: z.number() })),
});
type ExportState = z.output<typeof stateSchema>;

/** Files are closed when they reach this size. */
const rotateBytes = 500_000_000;

/**
 * Writes what a crawl has stored into files below a directory, and goes on where it stopped, even after a crash: the state file says
 * how much of each file is valid, and what lies beyond is cut off first.
 */
export class CrawlExport {
  readonly #client: Client;
  readonly #directory: string;
  #state: ExportState;
  pages = 0;

  private constructor(client: Client, directory: string, state: ExportState) {
    this.#client = client;
    this.#directory = directory;
    this.#state = state;
  }

  static async open(
    client: Client,
    { crawl, directory }: { crawl: string; directory: string },
  ): Promise<CrawlExport> {
    await makeDirectory(directory);
    const before = await readState(directory);
    const state = before?.crawl === crawl ? before : { crawl, after: 0, files: {} };
    const opened = new CrawlExport(client, directory, state);
    for (const [part, { number, size }] of Object.entries(state.files))
      await truncate(opened.#fileOf(part, number), size);
    return opened;
  }

  /** Writes everything that is new. */
  async run(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const { crawl, after } = this.#state;
      const { segments } = await this.#client.call(robotSegments, { crawl, after, limit: 100 });
      const last = segments.at(-1);
      if (!last || signal?.aborted) return;
      const contents = new Map<string, Buffer[]>();
      for (const { id, parts, pages } of segments) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of this.#client.stream(robotSegment, { crawl, segment: id }))
          chunks.push(chunk);
        const whole = Buffer.concat(chunks);
        let from = 0;
        for (const { name: part, length } of parts) {
          const list = contents.get(part) ?? [];
          list.push(whole.subarray(from, from + length));
          contents.set(part, list);
          from += length;
        }
        this.pages += pages;
      }
      const written: ExportState = { ...this.#state, after: last.id, files: { ...this.#state.files } };
      for (const [part, pieces] of contents) await this.#append(written, part, Buffer.concat(pieces));
      await writeState(this.#directory, written);
      this.#state = written;
    }
  }

  #fileOf(part: string, number: number): string {
    const { folder, name, extension } = files[part] ?? { folder: '', name: part, extension: 'gz' };
    return join(this.#directory, folder, `${name}-${String(number).padStart(5, '0')}.${extension}`);
  }

  async #append(state: ExportState, part: string, content: Buffer): Promise<void> {
    let { number, size } = state.files[part] ?? { number: 0, size: rotateBytes };
    if (size >= rotateBytes) {
      number++;
      size = 0;
    }
    if (size === 0 && files[part]?.folder) await makeDirectory(join(this.#directory, files[part].folder));
    const head = size === 0 && part === 'warc' ? await warcInfo(this.#fileOf(part, number)) : Buffer.alloc(0);
    const whole = Buffer.concat([head, content]);
    const file = await open(this.#fileOf(part, number), size === 0 ? 'w' : 'r+');
    try {
      await file.write(whole, 0, whole.length, size);
      await file.sync();
    } finally {
      await file.close();
    }
    state.files[part] = { number, size: size + whole.length };
  }
}

async function warcInfo(file: string): Promise<Buffer> {
  const record = infoRecord({ software: 'Pismak' }, basename(file), new Date().toISOString());
  return promisify(gzip)(record);
}

const stateFile = (directory: string) => join(directory, '.robot.json');

async function readState(directory: string): Promise<ExportState | undefined> {
  const text = await readFile(stateFile(directory), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The crawl of an earlier run with the same output directory. */
export async function crawlIn(directory: string): Promise<string | undefined> {
  return (await readState(directory))?.crawl;
}

export async function writeState(directory: string, state: ExportState): Promise<void> {
  const content = Buffer.from(`${JSON.stringify(state)}\n`);
  await saveFile(
    stateFile(directory),
    (async function* () {
      yield content;
    })(),
  );
}
