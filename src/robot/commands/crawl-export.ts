import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { lockDirectory } from '../../engine/data-directory/directory-lock.ts';
import { makeDirectory } from '../../engine/files/make-directory.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Client } from '../../terminal/client/client.ts';
import { Catalogue, entryBytes } from '../export/catalogue.ts';
import {
  append,
  checkUnused,
  cutFiles,
  type ExportState,
  fileOf,
  type Positions,
  readState,
  replaceFiles,
  writeAt,
  writeState,
} from '../export/export-files.ts';
import { onlySome } from '../export/segment-texts.ts';
import { WarcFiles } from '../export/warc-files.ts';
import { robotOptions, robotRelease, robotSegment, robotSegments } from '../operations/reading.ts';
import { type DocumentEntry, type RecordEntry, readSegmentIndex } from '../segments/segment-index.ts';

const texts = ['text', 'corpus'] as const;

/** A segment with its parts. */
interface Segment {
  id: number;
  pages: number;
  parts: Map<string, Buffer>;
  /** Documents with text, which may be part of the corpus; segments of earlier versions list none. */
  documents: DocumentEntry[];
  records: RecordEntry[];
}

/**
 * Writes what a crawl has stored into files in a directory, and continues where it stopped, even after a crash: the state file says
 * how much of each file is valid, and the rest is cut off first. When a choice among duplicates has changed at the end, text and corpus
 * are written under new names (`.new`); the state then names them as *replacing*, and every later run completes that first.
 */
export class CrawlExport {
  readonly #client: Client;
  readonly #directory: string;
  readonly #catalogue: Catalogue;
  readonly #warc: WarcFiles;
  readonly #unlock: () => void;
  #state: ExportState;
  pages = 0;

  private constructor(
    client: Client,
    parts: {
      directory: string;
      state: ExportState;
      catalogue: Catalogue;
      warc: WarcFiles;
      unlock: () => void;
    },
  ) {
    this.#client = client;
    this.#directory = parts.directory;
    this.#state = parts.state;
    this.#catalogue = parts.catalogue;
    this.#warc = parts.warc;
    this.#unlock = parts.unlock;
  }

  static async open(
    client: Client,
    { crawl, directory }: { crawl: string; directory: string },
  ): Promise<CrawlExport> {
    const lock = join(directory, '.robot');
    await makeDirectory(lock);
    const unlock = lockDirectory(lock);
    if (!unlock)
      throw new PismakError('conflict', `another command is writing to ${directory}: wait for it to end`);
    try {
      return await CrawlExport.#open(client, { crawl, directory, unlock });
    } catch (error) {
      unlock();
      throw error;
    }
  }

  static async #open(
    client: Client,
    { crawl, directory, unlock }: { crawl: string; directory: string; unlock: () => void },
  ): Promise<CrawlExport> {
    const before = await readState(directory);
    if (before?.crawl !== crawl) await checkUnused(directory);
    let state = before?.crawl === crawl ? before : { crawl, after: 0, files: {} };
    if (state.replacing) state = await replaceFiles(directory, state);
    await cutFiles(directory, state);
    const { versions, duplicates } = await client.call(robotOptions, { crawl });
    const { size = 0, number = 1 } = state.files.catalogue ?? {};
    const entries = size > 0 ? await readFile(fileOf(directory, 'catalogue', number)) : Buffer.alloc(0);
    const catalogue = new Catalogue({ versions, duplicates }, entries);
    return new CrawlExport(client, {
      directory,
      state,
      catalogue,
      unlock,
      warc: await WarcFiles.open(directory, state.files),
    });
  }

  /** Unlocks the directory. */
  close(): void {
    this.#unlock();
  }

  /** Writes everything that is new. */
  async run(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const segments = await this.#segmentsAfter(this.#state.after);
      const last = segments.at(-1);
      if (!last || signal?.aborted) return;
      const files = { ...this.#state.files };
      const known = this.#catalogue.size;
      for (const part of ['documents', 'requests'])
        await append(this.#directory, files, part, Buffer.concat(piecesOf(segments, part)));
      await this.#warc.append(
        files,
        segments.map(({ parts, records }) => ({ content: parts.get('warc') ?? Buffer.alloc(0), records })),
      );
      await this.#addTexts(files, segments);
      for (const { pages } of segments) this.pages += pages;
      await append(this.#directory, files, 'catalogue', this.#catalogue.entries(known));
      this.#state = { ...this.#state, after: last.id, files };
      await writeState(this.#directory, this.#state);
    }
  }

  /** Does what needs all segments: sorts the indexes and, if the crawl has ended, chooses which texts make the corpus. */
  async finish({ hasEnded }: { hasEnded: boolean }): Promise<void> {
    await this.#warc.sortIndexes();
    if (!hasEnded) return;
    const chosen = this.#catalogue.chosen();
    if (chosen.every((wanted, id) => Boolean(wanted) === this.#catalogue.isWritten(id))) return;
    await this.#writeTextsAnew(chosen);
  }

  /** Deletes the exported segments from the crawl. */
  async release(): Promise<{ segments: number; bytes: number }> {
    const { crawl, after } = this.#state;
    if (after === 0) return { segments: 0, bytes: 0 };
    return this.#client.call(robotRelease, { crawl, through: after });
  }

  async #segmentsAfter(after: number, { wantsRecords = true } = {}): Promise<Segment[]> {
    const { crawl } = this.#state;
    const { segments } = await this.#client.call(robotSegments, { crawl, after, limit: 100 });
    const read: Segment[] = [];
    for (const { id, parts, pages } of segments) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of this.#client.stream(robotSegment, { crawl, segment: id })) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      const named = new Map<string, Buffer>();
      let from = 0;
      for (const { name, length } of parts) {
        named.set(name, whole.subarray(from, from + length));
        from += length;
      }
      read.push({ id, pages, parts: named, ...(await indexOf(named, wantsRecords)) });
    }
    return read;
  }

  async #addTexts(files: Positions, segments: readonly Segment[]): Promise<void> {
    const pieces = { text: [] as Buffer[], corpus: [] as Buffer[] };
    for (const { parts, documents } of segments) {
      const isWritten = documents.map((document) => this.#catalogue.add(document));
      for (const part of texts) {
        const content = parts.get(part);
        if (content)
          pieces[part].push(await onlySome(content, part, documents, (index) => isWritten[index] ?? true));
      }
    }
    for (const part of texts) await append(this.#directory, files, part, Buffer.concat(pieces[part]));
  }

  /** Writes text and corpus with exactly the chosen documents to new files, which then replace the old ones. */
  async #writeTextsAnew(chosen: Uint8Array): Promise<void> {
    const { files } = this.#state;
    const anew: Positions = {};
    let first = 0;
    for (let after = 0; after < this.#state.after; ) {
      const segments = await this.#segmentsAfter(after, { wantsRecords: false });
      const last = segments.at(-1);
      if (!last) break;
      const pieces = { text: [] as Buffer[], corpus: [] as Buffer[] };
      for (const { id, parts, documents } of segments) {
        if (id > this.#state.after) break;
        const from = first;
        for (const part of texts) {
          const content = parts.get(part);
          if (!content) continue;
          pieces[part].push(await onlySome(content, part, documents, (index) => chosen[from + index] === 1));
        }
        first += documents.length;
      }
      // One append for many segments, because each waits for the disk.
      for (const part of texts)
        await append(this.#directory, anew, part, Buffer.concat(pieces[part]), '.new');
      after = last.id;
    }
    // Released segments can't be read again: their texts stay as they were written.
    if (first !== this.#catalogue.size) return;
    for (const [id, wanted] of chosen.entries()) this.#catalogue.setWritten(id, wanted === 1);
    const replacing = Object.fromEntries(
      texts.flatMap((part) => (files[part] ? [[part, files[part]] as const] : [])),
    );
    const others = Object.fromEntries(
      Object.entries(files).filter(([part]) => !(texts as readonly string[]).includes(part)),
    );
    await writeAt(this.#directory, 'catalogue', { number: 1, size: 0 }, this.#catalogue.entries(), '.new');
    const state: ExportState = {
      ...this.#state,
      files: { ...others, ...anew, catalogue: { number: 1, size: this.#catalogue.size * entryBytes } },
      replacing: { ...replacing, catalogue: { number: 1, size: 0 } },
    };
    await writeState(this.#directory, state);
    this.#state = await replaceFiles(this.#directory, state);
  }
}

function piecesOf(segments: readonly Segment[], part: string): Buffer[] {
  return segments.flatMap(({ parts }) => parts.get(part) ?? []);
}

async function indexOf(
  parts: ReadonlyMap<string, Buffer>,
  wantsRecords: boolean,
): Promise<Pick<Segment, 'documents' | 'records'>> {
  const content = parts.get('index');
  if (!content) return { documents: [], records: [] };
  const { documents, records } = readSegmentIndex((await promisify(gunzip)(content)).toString(), {
    wantsRecords,
  });
  return { documents: documents.filter(({ text, corpus }) => text + corpus > 0), records };
}

/** The crawl that an earlier run exported to this directory. */
export async function crawlIn(directory: string): Promise<string | undefined> {
  return (await readState(directory))?.crawl;
}
