import { PismakError } from '../ground/errors.ts';
import { shorten } from '../ground/shorten.ts';
import type { ProcessingRequest } from './request_pb.ts';

/**
 * Limits of a request's contents: far more than any pipeline needs, but little enough for a worker to handle. A book of
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

/** Why the request exceeds the limits; undefined if it doesn't. */
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
    if (length > most) return `it has ${length} ${what}; the limit is ${most}`;
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
  return `${what} has ${text.length} characters; the limit is ${most}: ${shorten(text, 40)}`;
}

/** A smaller message can't hold enough fields to do harm. */
const harmlessBytes = 64 * 1024;

/** The lists of a request, by field number. */
const lists: Readonly<Record<number, { what: string; most: number }>> = {
  5: { what: 'stages', most: requestLimits.stages },
  6: { what: 'files', most: requestLimits.files },
  7: { what: 'logs', most: requestLimits.logs },
};
/** Fields that contain messages: times, files and logs, which have times. */
const inRequest: Messages = { 4: {}, 6: {}, 7: { 3: {}, 4: {} } };
interface Messages {
  [field: number]: Messages;
}
/** Maximum fields on one level, outside the lists. Unknown fields count too, because they are kept. */
const mostOthers = 50;

/**
 * Counts the fields before they become objects: 16 MB of empty files would become 8 million objects and take gigabytes.
 * Written by hand so that it creates no objects either: 50,000 files take a few milliseconds.
 */
export function refuseCrowdedMessage(body: Uint8Array): void {
  if (body.length <= harmlessBytes) return;
  const counts = new Uint32Array(8);
  new Fields(body).visit(body.length, inRequest, (field) => {
    const list = lists[field] ? field : 0;
    const { what, most } = lists[field] ?? { what: 'other fields', most: mostOthers };
    counts[list] = (counts[list] ?? 0) + 1;
    if ((counts[list] ?? 0) > most) throw crowded(what, most);
  });
}

/** Walks through the fields of a protobuf message. */
class Fields {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  visit(end: number, messages: Messages, seen: (field: number) => void): void {
    while (this.#at < end) {
      const tag = this.#varint();
      const field = Math.floor(tag / 8);
      seen(field);
      const inner = messages[field];
      if (tag % 8 !== 2) this.#skip(tag % 8);
      else {
        const length = this.#varint();
        if (inner) this.#count(this.#at + length, inner);
        else this.#at += length;
      }
    }
    if (this.#at > end) throw broken();
  }

  #count(end: number, messages: Messages): void {
    let count = 0;
    this.visit(end, messages, () => {
      if (++count > mostOthers) throw crowded('fields in a file, log or time', mostOthers);
    });
  }

  #skip(type: number): void {
    if (type === 0) this.#varint();
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else throw broken();
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw broken();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw broken();
  }
}

function crowded(what: string, most: number): PismakError {
  return new PismakError('request-invalid', `the request carries too much: it has more than ${most} ${what}`);
}

function broken(): PismakError {
  return new PismakError('request-invalid', 'not a processing request: it is not valid protobuf');
}
