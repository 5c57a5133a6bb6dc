import { create } from '@bufbuild/protobuf';
import type { BacklogItem } from '../../engine/backlog/backlog.ts';
import { newRequest, type ResultFile } from '../../engine/request/request.ts';
import { ResultFileSchema } from '../../engine/request/request_pb.ts';
import { requestItem } from '../../engine/request/request-item.ts';
import { files } from '../page/files.ts';
import { noProgress, order, type SplitProgress } from '../page/order.ts';
import {
  batchOf,
  collectQueue,
  type DocumentRow,
  type PageRow,
  type SourceRow,
  splitStage,
} from './document.ts';

/** A source or page in the backlog. Turns are per user, because users create any number of keys and documents. */
function backlogItem(document: DocumentRow, request: ReturnType<typeof newRequest>): BacklogItem {
  return requestItem(request, { batch: document.id });
}

export function splitItem(
  document: DocumentRow,
  source: Pick<SourceRow, 'id' | 'name' | 'hash' | 'size'> & { request: string },
  now: number,
  from: SplitProgress = noProgress,
): BacklogItem {
  const request = newRequest({
    ...common(document, now),
    uuid: source.request,
    pageUuid: source.id,
    stages: [splitStage, collectQueue],
    files: [orderFile(document, source.name, { split: from })],
  });
  request.results.push(reference(files.source, source.hash, source.size));
  return backlogItem(document, request);
}

export function pageItem(
  document: DocumentRow,
  page: Pick<PageRow, 'id' | 'name' | 'part' | 'dpi' | 'textHash' | 'textSize'> & {
    request: string;
    hash: string;
    size: number;
  },
  stages: readonly string[],
  now: number,
): BacklogItem {
  const request = newRequest({
    ...common(document, now),
    uuid: page.request,
    pageUuid: page.id,
    stages: [...stages, collectQueue],
    files: [orderFile(document, page.name, { part: page.part, dpi: page.dpi })],
    pipeline: document.pipeline,
  });
  request.results.push(reference(files.source, page.hash, page.size));
  if (page.textHash !== null) request.results.push(reference(files.page, page.textHash, page.textSize));
  return backlogItem(document, request);
}

function common(document: DocumentRow, startedAt: number) {
  const { owner, priority } = document;
  return { owner, priority, startedAt, batch: batchOf(document) };
}

function orderFile(
  document: DocumentRow,
  name: string,
  { part = null, dpi = null, split }: { part?: number | null; dpi?: number | null; split?: SplitProgress },
) {
  const { id, language, formatsJson, textLayer } = document;
  const wanted = order.parse({
    document: id,
    page: part ?? 1,
    name,
    language,
    formats: JSON.parse(formatsJson),
    ...(part !== null && { part }),
    ...(dpi !== null && { dpi }),
    ...(textLayer !== null && { textLayer: textLayer === 1 }),
    ...(split && { split }),
  });
  return { name: files.order, content: Buffer.from(JSON.stringify(wanted)) };
}

function reference(name: string, hash: string, size: number): ResultFile {
  return create(ResultFileSchema, { name, blob: hash, size: BigInt(size) });
}
