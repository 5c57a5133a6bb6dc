import { giveUp } from '../../engine/blob-owners/blob-erasure.ts';
import { ownAll } from '../../engine/blob-owners/blob-owners.ts';
import { chunks } from '../../engine/ground/chunks.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { parseJson } from '../../engine/ground/json.ts';
import type { Request } from '../../engine/request/request.ts';
import { requestOwner, sizeOf } from '../../engine/request/result-files.ts';
import { contentOf, storedFile } from '../../engine/results/stored-files.ts';
import type { Queries } from '../database/database.ts';
import {
  activeStates,
  type DocumentParts,
  type DocumentRow,
  documentOwner,
  getDocument,
  type PageRow,
  positionsPerSource,
  type SourceRow,
  storable,
} from '../documents/document.ts';
import { forgetNumbers } from '../documents/page-numbers.ts';
import { unread } from '../documents/page-quality.ts';
import { pipelineStages } from '../documents/pipeline-stages.ts';
import { countPagesOf } from '../documents/progress.ts';
import { usePages } from '../documents/quota.ts';
import { pageItem, splitItem } from '../documents/requests.ts';
import { findReusable, reuseKey, type StageVersion } from '../documents/reuse.ts';
import type { SplitProgress } from '../page/order.ts';
import { type SplitPage, splitFiles, splitPages } from '../split/pages.ts';
import { withDistinctNames } from './distinct-names.ts';
import { reusePages } from './reuse-pages.ts';
import { failureOf, logText } from './stage-log.ts';

/** A retry would not help: too many pages, no pages, or no pipeline to send them to. */
const final = new Set<string>(['quota-exceeded', 'request-invalid', 'stage-unknown', 'not-found']);
const storedAtOnce = 16;
/** A source has at most 100,000 pages. */
const mostListBytes = 64 * 1024 * 1024;

/** Collects a split source: creates its pages and sends them, in one transaction. A second result changes nothing. */
export async function takeSource(parts: DocumentParts, source: SourceRow, request: Request): Promise<void> {
  const failure = failureOf(request);
  if (failure !== undefined) return failSource(parts, source, request, failure);
  try {
    const stages = await pipelineStages(
      parts,
      (await getDocument(parts.database.query, source.document)).pipeline,
    );
    const split = await readPages(parts, source, request);
    await makePages(parts, source, request, split, stages);
  } catch (error) {
    if (error instanceof PismakError && final.has(error.code))
      return failSource(parts, source, request, error.message);
    throw error;
  }
}

/** Stores the images of the pages and returns their rows, and where to continue if the source has more pages. */
async function readPages(
  { blobs, clock, database }: DocumentParts,
  source: SourceRow,
  request: Request,
): Promise<{ pages: PageRow[]; next?: SplitProgress | undefined }> {
  const files = new Map(request.results.map((file) => [file.name, file]));
  const list = files.get(splitFiles.list);
  const isReadable = list && sizeOf(list) <= mostListBytes;
  const parsed = isReadable
    ? splitPages.safeParse(parseJson(Buffer.from(await contentOf(blobs, list)).toString()))
    : undefined;
  if (!parsed?.success) {
    throw new PismakError(
      'request-invalid',
      `the stage that split ${source.name} left no valid ${splitFiles.list}`,
    );
  }
  const stored = async (name: string | undefined) => {
    const file = name === undefined ? undefined : files.get(name);
    return file && storedFile(blobs, file);
  };
  const now = clock.now();
  const { pages, after = 0, next } = parsed.data;
  // A worker of an earlier version returns no parts, and lists all pages again.
  const known = await countPagesOf(database.query, source);
  if (after > known)
    throw new PismakError('request-invalid', `pages ${known + 1} to ${after} of ${source.name} are missing`);
  const rowOf = async (page: SplitPage, index: number): Promise<PageRow> => {
    const [image, text] = [await stored(page.file), await stored(page.text)];
    const [thumbnail, view] = [await stored(page.thumbnail), await stored(page.view)];
    const error = image ? null : storable(page.error ?? 'the page could not be opened', 2000);
    return {
      id: newId(clock),
      document: source.document,
      source: source.id,
      position: source.position * positionsPerSource + known + index,
      name: nameOf(source, page),
      part: page.part ?? null,
      state: image ? 'waiting' : 'failed',
      hash: image?.hash ?? null,
      size: image?.size ?? 0,
      textHash: text?.hash ?? null,
      textSize: text?.size ?? 0,
      error,
      log: '',
      request: image ? newId(clock) : null,
      generation: 1,
      reuseKey: null,
      ...unread,
      width: page.width ?? null,
      height: page.height ?? null,
      dpi: page.dpi ?? null,
      hasText: page.hasText === undefined ? null : Number(page.hasText),
      thumbnailHash: thumbnail?.hash ?? null,
      thumbnailSize: thumbnail?.size ?? null,
      viewHash: view?.hash ?? null,
      viewSize: view?.size ?? null,
      createdAt: now,
      endedAt: image ? null : now,
    };
  };
  // In parallel, because storing a page mostly waits for the disk.
  const rows: PageRow[] = [];
  for (const some of chunks(pages.slice(known - after), storedAtOnce)) {
    const before = rows.length;
    rows.push(...(await Promise.all(some.map((page, index) => rowOf(page, before + index)))));
  }
  return { pages: rows, next };
}

async function makePages(
  parts: DocumentParts,
  source: SourceRow,
  request: Request,
  { pages, next }: { pages: PageRow[]; next?: SplitProgress | undefined },
  stages: readonly StageVersion[],
): Promise<void> {
  const { backlog, clock, database } = parts;
  await database.transaction(async (transaction) => {
    const now = clock.now();
    const continued = next && newId(clock);
    const document = await claim(transaction, source, request, continued);
    if (document) {
      const bytes = pages.reduce((sum, page) => sum + page.size, 0);
      await usePages(parts, transaction, document, { pages: pages.length, bytes });
      const owner = documentOwner(document.id);
      await ownAll(
        transaction,
        pages.flatMap((page) => [page.hash, page.textHash, page.thumbnailHash, page.viewHash]).filter(isText),
        owner,
        now,
      );
      const named = await withDistinctNames(transaction, source, pages);
      const keyed = named.map((page) => ({ ...page, reuseKey: reuseKey(document, page, stages) }));
      if (keyed[0]) await forgetNumbers(transaction, document.id, keyed[0].position);
      for (const some of chunks(keyed, 500))
        await transaction.insertInto('transcription_page').values(some).execute();
      const waiting = keyed.filter((page) => page.state === 'waiting');
      const known =
        document.again === 1
          ? new Map()
          : await findReusable(
              transaction,
              document.owner,
              waiting.map((page) => page.reuseKey),
            );
      const reused = waiting.filter((page) => known.has(page.reuseKey));
      await reusePages(parts, transaction, document, reused, known);
      const names = stages.map(({ stage }) => stage);
      const items = waiting
        .filter((page) => !known.has(page.reuseKey))
        .map((page) =>
          pageItem(document, { ...page, hash: page.hash ?? '', request: page.request ?? '' }, names, now),
        );
      if (next && continued) items.push(splitItem(document, { ...source, request: continued }, now, next));
      await backlog.add(transaction, items);
    }
    await giveUp(transaction, requestOwner(request), now);
  });
  backlog.wake();
}

/** Marks the source as done, or sent again for its next part, unless it already is, or the document was cancelled or deleted meanwhile. */
async function claim(
  transaction: Queries,
  source: SourceRow,
  request: Request,
  continued: string | undefined,
): Promise<DocumentRow | undefined> {
  const changed = await transaction
    .updateTable('transcription_source')
    .set({ ...(continued ? { request: continued } : { state: 'done' }), log: logText(request) })
    .where('id', '=', source.id)
    .where('request', '=', request.uuid)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (Number(changed.numUpdatedRows) === 0) return undefined;
  await transaction
    .updateTable('transcription_document')
    .set({ state: 'running' })
    .where('id', '=', source.document)
    .where('state', '=', 'waiting')
    .execute();
  const document = await getDocument(transaction, source.document);
  return activeStates.includes(document.state) ? document : undefined;
}

async function failSource(
  { clock, database }: DocumentParts,
  source: SourceRow,
  request: Request,
  error: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction
      .updateTable('transcription_source')
      .set({ state: 'failed', error: storable(error, 2000), log: logText(request) })
      .where('id', '=', source.id)
      .where('request', '=', request.uuid)
      .where('state', '=', 'waiting')
      .execute();
    await giveUp(transaction, requestOwner(request), clock.now());
  });
}

/** Pages of an archive are named after its files. */
function nameOf(source: SourceRow, page: SplitPage): string {
  return storable(page.name === '' ? source.name : page.name, 1000);
}

function isText(value: string | null): value is string {
  return value !== null;
}
