import type { StoredMessage } from '../../broker/broker.ts';
import { decodeRequest, milliseconds, type Request } from '../../request/request.ts';
import { sizeOf } from '../../request/result-files.ts';
import type { MessageRow } from './message-row.ts';

/** A sender may put long lists into a message; at most this many entries are shown. */
const shown = 50;

/** Maximum size of all bodies in one response together. The first body is always included. */
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
