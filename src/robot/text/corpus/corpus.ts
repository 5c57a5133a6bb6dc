import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { encodeText } from '../html/encode-text.ts';
import type { CorpusDocument } from './document.ts';
import { GrowingFile } from './growing-file.ts';
import { indexLine } from './index-line.ts';
import { jsonLine, plainText, vertical } from './lines.ts';
import { bodiesOf, mostKnownBodies, removeLater, reopenIndex, sortIndex, unsorted } from './segments.ts';
import { infoRecord, responseRecord } from './warc.ts';

export type CorpusFormat = 'documents' | 'text' | 'vertical' | 'warc';
export const corpusFormats: readonly CorpusFormat[] = ['documents', 'text', 'vertical', 'warc'];

export interface CorpusOptions {
  /** Which files are written; all by default. */
  formats?: readonly CorpusFormat[];
  /** A segment ends when one of its files reaches this size (compressed). */
  segmentBytes?: number;
  /** Documents are compressed together until they reach this size. */
  batchBytes?: number;
  /** Part of the file names, so that several writers can share a directory. */
  name?: string;
  /** Encoding of the plain text. */
  encoding?: 'utf-8' | 'iso-8859-2';
  /** What the WARC files say about the crawl: software, operator, robots... */
  info?: Readonly<Record<string, string>>;
  /** Continue at this position, which an earlier `flush` returned; default: after everything that was flushed. */
  position?: CorpusPosition;
  /** Called when a segment is complete: its files no longer change. */
  onSealed?: (files: readonly string[]) => void | Promise<void>;
}

const positionSchema = z.object({ segment: z.int().min(1), lengths: z.record(z.string(), z.int().min(0)) });

/** How far the files of the corpus are complete. */
export type CorpusPosition = z.infer<typeof positionSchema>;

export interface Corpus {
  /** Waits only while earlier documents are written. Durable after the next `flush`. */
  add(document: CorpusDocument): Promise<void>;
  /** Writes what was added to disk. Store the position with your own records to continue exactly there. */
  flush(): Promise<CorpusPosition>;
  /** Ends the segment, so that its files can be moved; the next document starts another. */
  seal(): Promise<CorpusPosition>;
  close(): Promise<CorpusPosition>;
}

const compress = promisify(gzip);
const level = 5;

/**
 * The files of a corpus: documents, plain text, vertical, WARC with its index. Each batch is a gzip member of its own, so a killed
 * writer leaves readable files; opening the directory again cuts off what was unfinished and continues.
 */
export async function openCorpus(directory: string, options: CorpusOptions = {}): Promise<Corpus> {
  const { segmentBytes = 256 << 20, batchBytes = 1 << 20, name = '', encoding = 'utf-8' } = options;
  const formats = new Set(options.formats ?? corpusFormats);
  await mkdir(directory, { recursive: true });
  const statePath = join(directory, `.corpus${name === '' ? '' : `-${name}`}.json`);
  const start = structuredClone(options.position) ??
    (await readState(statePath)) ?? { segment: 1, lengths: {} };
  await restore(directory, start);
  await removeLater(directory, name, start.segment);

  let segment = start.segment;
  let files = openSegment(start.lengths);
  let batch = emptyBatch();
  const known = await bodiesOf(directory, name, start.segment);
  let writing: Promise<unknown> = Promise.resolve();

  function openSegment(lengths: Readonly<Record<string, number>>) {
    const number = String(segment).padStart(5, '0');
    const part = name === '' ? number : `${name}-${number}`;
    const file = (path: string) => ({
      name: path,
      file: new GrowingFile(join(directory, path), lengths[path] ?? 0),
    });
    return {
      documents: file(`documents-${part}.jsonl.gz`),
      text: file(`text-${part}.txt.gz`),
      vertical: file(`corpus-${part}.vert.gz`),
      warc: file(`warc/pismak-${part}.warc.gz`),
      index: file(`warc/pismak-${part}.cdxj${unsorted}`),
    };
  }

  const position = (): CorpusPosition => ({
    segment,
    lengths: Object.fromEntries(
      Object.values(files)
        .filter(({ file }) => file.length > 0)
        .map(({ name: path, file }) => [path, file.length]),
    ),
  });

  /** One write at a time; a failure is reported to its caller and to later ones. */
  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = writing.then(work);
    writing = turn;
    // It is reported through `turn`; this keeps Node from calling it unhandled as well.
    turn.catch(() => {});
    return turn;
  }

  async function write(taken: Batch): Promise<void> {
    const [documents, text, tokens] = await Promise.all([
      member(taken.documents.join('')),
      member(encodeText(taken.text.join(''), encoding)),
      member(taken.vertical.join('')),
    ]);
    await files.documents.file.append(documents);
    await files.text.file.append(text);
    await files.vertical.file.append(tokens);
    if (taken.responses.length > 0) await writeResponses(taken.responses);
  }

  async function writeResponses(documents: readonly CorpusDocument[]): Promise<void> {
    const { file, name: path } = files.warc;
    const info = { software: 'Pismak', ...options.info };
    if (file.length === 0) {
      const date = new Date(documents[0]?.fetchedAt ?? 0).toISOString();
      await file.append(await member(infoRecord(info, path, date)));
    }
    const records = documents.flatMap(({ url, finalUrl, response, fetchedAt }) => {
      if (response === undefined) return [];
      const target = finalUrl ?? url;
      const date = new Date(fetchedAt).toISOString();
      const made = responseRecord(target, response, date, (digest) => known.get(digest));
      if (!made.isRevisit && known.size < mostKnownBodies) known.set(made.digest, { url: target, date });
      const type = response.headers.find(([header]) => /^content-type$/i.test(header))?.[1] ?? '';
      return {
        ...made,
        url: target,
        date,
        status: response.status,
        mime: type.split(';', 1)[0]?.trim() ?? '',
      };
    });
    const parts = await Promise.all(records.map(({ bytes }) => member(bytes)));
    let offset = file.length;
    const lines = records.map(({ bytes: _, isRevisit: revisit, ...entry }, index) => {
      const { length } = parts[index] as Buffer;
      const line = indexLine({ ...entry, revisit, filename: path.replace('warc/', ''), offset, length });
      offset += length;
      return line;
    });
    await file.append(Buffer.concat(parts));
    await files.index.file.append(Buffer.from(lines.join('')));
  }

  async function writeBatch(): Promise<void> {
    const taken = batch;
    if (taken.count === 0) return;
    batch = emptyBatch();
    await write(taken);
    if (Object.values(files).some(({ file }) => file.length >= segmentBytes)) await sealSegment();
  }

  async function makeDurable(): Promise<CorpusPosition> {
    await writeBatch();
    for (const { file } of Object.values(files)) await file.sync();
    const now = position();
    await writeFile(`${statePath}.new`, JSON.stringify(now), { flush: true });
    await rename(`${statePath}.new`, statePath);
    return now;
  }

  async function sealSegment(): Promise<void> {
    const written = Object.values(files).filter(({ file }) => file.length > 0);
    if (written.length === 0) return;
    for (const { file } of written) {
      await file.sync();
      await file.close();
    }
    if (files.index.file.length > 0) await sortIndex(files.index.file.path);
    segment += 1;
    files = openSegment({});
    await options.onSealed?.(written.map(({ file }) => file.path));
  }

  return {
    async add(document) {
      put(batch, document, formats);
      if (batch.bytes >= batchBytes) await inTurn(writeBatch);
    },
    flush: () => inTurn(makeDurable),
    seal: () =>
      inTurn(async () => {
        await writeBatch();
        await sealSegment();
        return makeDurable();
      }),
    close: () =>
      inTurn(async () => {
        const last = await makeDurable();
        for (const { file } of Object.values(files)) await file.close();
        return last;
      }),
  };
}

interface Batch {
  count: number;
  bytes: number;
  documents: string[];
  text: string[];
  vertical: string[];
  responses: CorpusDocument[];
}

function emptyBatch(): Batch {
  return { count: 0, bytes: 0, documents: [], text: [], vertical: [], responses: [] };
}

function put(batch: Batch, document: CorpusDocument, formats: ReadonlySet<CorpusFormat>): void {
  batch.count += 1;
  if (formats.has('documents')) batch.documents.push(jsonLine(document));
  if (formats.has('text')) batch.text.push(plainText(document));
  if (formats.has('vertical')) batch.vertical.push(vertical(document));
  if (formats.has('warc') && document.response !== undefined) {
    batch.responses.push(document);
    batch.bytes += document.response.body.length;
  }
  batch.bytes += (document.text?.length ?? 0) * 2 + 500;
}

async function member(content: string | Uint8Array): Promise<Buffer> {
  return content.length === 0 ? Buffer.alloc(0) : await compress(content, { level });
}

async function readState(path: string): Promise<CorpusPosition | undefined> {
  try {
    return positionSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the files of the segment as long as they were. */
async function restore(directory: string, { lengths }: CorpusPosition): Promise<void> {
  for (const [file, length] of Object.entries(lengths)) {
    const path = join(directory, file);
    const isIndex = file.endsWith(unsorted);
    if (isIndex && existsSync(path.slice(0, -unsorted.length)))
      await reopenIndex(path, lengths[file.replace(`.cdxj${unsorted}`, '.warc.gz')] ?? 0);
    // A file that was moved away starts again.
    if (existsSync(path)) await truncate(path, length);
    else delete lengths[file];
  }
}
