import { z } from 'zod';
import type { StoredMessage } from '../../broker/broker.ts';
import { decodeRequest, milliseconds, type Request } from '../../request/request.ts';
import { sizeOf } from '../../results/job-files.ts';

/** Lists inside a message are as long as its sender liked; this much of them is shown. */
const shown = 50;

const requestSummary = z.strictObject({
  uuid: z.string(),
  pageUuid: z.string(),
  priority: z.int(),
  owner: z.string(),
  pipeline: z.string(),
  startedAt: z.number().nullable(),
  stages: z.array(z.string()),
  files: z.array(z.strictObject({ name: z.string(), size: z.number(), blob: z.string().nullable() })),
  fileCount: z.int(),
  logs: z.array(
    z.strictObject({
      stage: z.string(),
      status: z.string(),
      start: z.number().nullable(),
      end: z.number().nullable(),
    }),
  ),
});

export const messageRow = z.strictObject({
  id: z.string(),
  lane: z.enum(['high', 'normal']),
  state: z.enum(['ready', 'delayed', 'in-flight', 'dead']),
  attempt: z.int(),
  publishedAt: z.number(),
  readyAt: z.number().nullable(),
  size: z.int(),
  history: z
    .array(z.strictObject({ at: z.number(), attempt: z.int(), reason: z.string() }))
    .describe('What went wrong so far, the latest last'),
  request: requestSummary.nullable().describe('Null when the body is not a request'),
  body: z.string().nullable().describe('Base64; null unless asked for, or when the answer is full'),
});
export type MessageRow = z.infer<typeof messageRow>;

/** All bodies of one answer together. The first always fits. */
const maxBodyBytes = 8 * 1024 * 1024;

export function messageRows(messages: readonly StoredMessage[], withBodies: boolean): MessageRow[] {
  let bytes = 0;
  return messages.map((message) => {
    const fits = withBodies && bytes < maxBodyBytes;
    if (fits) bytes += message.body.length;
    const { id, lane, state, attempt, publishedAt, readyAt, body } = message;
    return {
      id,
      lane,
      state,
      attempt,
      publishedAt,
      readyAt,
      size: body.length,
      history: message.history.slice(-shown),
      request: summary(body),
      body: fits ? Buffer.from(body).toString('base64') : null,
    };
  });
}

function summary(body: Uint8Array): MessageRow['request'] {
  let request: Request;
  try {
    request = decodeRequest(body);
  } catch {
    return null;
  }
  const { uuid, pageUuid, priority, owner, pipeline, results } = request;
  return {
    uuid,
    pageUuid,
    priority,
    owner,
    pipeline,
    startedAt: milliseconds(request.startTime) ?? null,
    stages: request.processingStages.slice(0, shown),
    files: results
      .slice(0, shown)
      .map((file) => ({ name: file.name, size: sizeOf(file), blob: file.blob || null })),
    fileCount: results.length,
    logs: request.logs.slice(-shown).map(({ stage, status, start, end }) => ({
      stage,
      status,
      start: milliseconds(start) ?? null,
      end: milliseconds(end) ?? null,
    })),
  };
}
