import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { PismakError } from '../errors.ts';
import { shorten } from '../shorten.ts';
import type { ProcessingRequest } from './request_pb.ts';

/**
 * What a request may carry. Far more than any pipeline needs, but little enough that a worker copes with it: a book of
 * 20,000 pages, each with its text, is split in one request. Anybody who can reach the broker can write requests.
 */
export const requestLimits = {
  stages: 100,
  files: 50_000,
  logs: 1000,
  /** Characters of a file's name. */
  name: 1000,
  /** Characters of ids, and of the names of stages and users. */
  id: 255,
  /** Characters of one stage's log. */
  log: 2 ** 20,
};

/** Why the request carries too much; undefined if it doesn't. */
export function excessOf(
  request: Pick<ProcessingRequest, 'uuid' | 'processingStages' | 'results' | 'logs'> &
    Partial<Pick<ProcessingRequest, 'pageUuid' | 'owner' | 'pipeline'>>,
): string | undefined {
  const { processingStages: stages, results: files, logs } = request;
  for (const [what, { length }, most] of [
    ['stages', stages, requestLimits.stages],
    ['files', files, requestLimits.files],
    ['logs', logs, requestLimits.logs],
  ] as const) {
    if (length > most) return `it has ${length} ${what}, and may have ${most}`;
  }
  const { uuid, pageUuid = '', owner = '', pipeline = '' } = request;
  for (const id of [uuid, pageUuid, owner, pipeline, ...stages]) {
    if (id.length > requestLimits.id) return tooLong('an id or name', id, requestLimits.id);
  }
  for (const { name, blob } of files) {
    if (name.length > requestLimits.name) return tooLong('the name of a file', name, requestLimits.name);
    if (blob.length > requestLimits.id) return tooLong('a reference', blob, requestLimits.id);
  }
  for (const { log, stage, hostId, status } of logs) {
    if (log.length > requestLimits.log) return tooLong('a log', log, requestLimits.log);
    for (const text of [stage, hostId, status]) {
      if (text.length > requestLimits.name) return tooLong('a text in a log', text, requestLimits.name);
    }
  }
  return undefined;
}

function tooLong(what: string, text: string, most: number): string {
  return `${what} has ${text.length} characters, and may have ${most}: ${shorten(text, 40)}`;
}

/** A smaller message can't hold enough to hurt. */
const harmlessBytes = 64 * 1024;

/** The lists of a request, by field number, and which of their fields are messages again. */
const lists: Readonly<Record<number, { what: string; most: number; messages: readonly number[] }>> = {
  5: { what: 'stages', most: requestLimits.stages, messages: [] },
  6: { what: 'files', most: requestLimits.files, messages: [] },
  7: { what: 'logs', most: requestLimits.logs, messages: [3, 4] },
};
const startTime = 4;
/** Of fields outside the lists. Unknown ones count too, because they are kept. */
const mostOthers = 50;

/**
 * Counts the fields before they become objects: 16 MB of empty files would become 8 million of them, and take gigabytes.
 */
export function refuseCrowdedMessage(body: Uint8Array): void {
  if (body.length <= harmlessBytes) return;
  const counts = new Map<string, number>();
  forEachField(body, (field, content) => {
    const { what, most, messages } = lists[field] ?? { what: 'other fields', most: mostOthers, messages: [] };
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    if (count > most) throw crowded(what, most);
    if (content && (field === startTime || field === 6 || field === 7)) checkFields(content, messages);
  });
}

function checkFields(message: Uint8Array, messages: readonly number[] = []): void {
  let count = 0;
  forEachField(message, (field, content) => {
    if (++count > mostOthers) throw crowded('fields in one file or log', mostOthers);
    if (content && messages.includes(field)) checkFields(content);
  });
}

/** Calls back for each field; with its content if it may be a message. */
function forEachField(message: Uint8Array, visit: (field: number, content?: Uint8Array) => void): void {
  const reader = new BinaryReader(message);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.LengthDelimited) visit(field, reader.bytes());
    else {
      reader.skip(type, field);
      visit(field);
    }
  }
}

function crowded(what: string, most: number): PismakError {
  return new PismakError('request-invalid', `the request carries too much: it has more than ${most} ${what}`);
}
