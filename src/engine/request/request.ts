import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Lane, OutgoingMessage } from '../broker/broker.ts';
import { ownerHeader } from '../broker/owner-header.ts';
import { messageOf, PismakError } from '../ground/errors.ts';
import { shorten } from '../ground/shorten.ts';
import {
  type ProcessingRequest,
  ProcessingRequestSchema,
  type ResultFile,
  ResultFileSchema,
  type StageLog,
  StageLogSchema,
} from './request_pb.ts';
import { excessOf, refuseCrowdedMessage } from './request-limits.ts';

/**
 * A request travels from queue to queue: `processingStages` begins with the stage it waits for and ends with its output
 * queue. PERO's programs send and read the same format (see request.proto). Unknown fields are kept.
 */
export type Request = ProcessingRequest;
export type { ResultFile, StageLog };

/** The request as it travels: protobuf. */
export function encodeRequest(request: Request): Uint8Array {
  return toBinary(ProcessingRequestSchema, request);
}

/** Fails with `request-invalid` for anything that is not a usable request. */
export function decodeRequest(body: Uint8Array): Request {
  let request: Request;
  try {
    refuseCrowdedMessage(body);
    request = fromBinary(ProcessingRequestSchema, body);
  } catch (error) {
    if (error instanceof PismakError) throw error;
    throw new PismakError('request-invalid', `not a processing request: ${messageOf(error)}`, {
      cause: error,
    });
  }
  // Random bytes often parse as a message of unknown fields only, so the two routing fields must be there.
  if (request.uuid === '')
    throw new PismakError('request-invalid', 'not a processing request: it has no uuid');
  if (request.processingStages.length === 0) {
    throw new PismakError(
      'request-invalid',
      `request ${request.uuid} has no stages, not even an output queue`,
    );
  }
  const excess = excessOf(request);
  if (excess !== undefined)
    throw new PismakError(
      'request-invalid',
      `request ${shorten(request.uuid, 100)} carries too much: ${excess}`,
    );
  return request;
}

/** What a producer specifies about a request. */
export interface NewRequest {
  uuid: string;
  pageUuid?: string;
  priority?: number;
  stages: readonly string[];
  files: readonly { name: string; content: Uint8Array }[];
  startedAt: number;
  owner?: string;
  pipeline?: string;
  batch?: string;
  acceptsReferences?: boolean;
}

/** A request that has not been processed yet. */
export function newRequest(from: NewRequest): Request {
  return create(ProcessingRequestSchema, {
    uuid: from.uuid,
    pageUuid: from.pageUuid ?? from.uuid,
    priority: from.priority ?? 0,
    startTime: timestampFromMs(from.startedAt),
    processingStages: [...from.stages],
    results: from.files.map((file) => newFile(file.name, file.content)),
    owner: from.owner ?? '',
    pipeline: from.pipeline ?? '',
    batch: from.batch ?? '',
    acceptsReferences: from.acceptsReferences ?? true,
  });
}

/** A file of a request with its content. */
export function newFile(name: string, content: Uint8Array): ResultFile {
  return create(ResultFileSchema, { name, content, size: BigInt(content.length) });
}

/** A file whose content is a blob. */
export function newFileOfBlob(name: string, { hash, size }: { hash: string; size: number }): ResultFile {
  return create(ResultFileSchema, { name, blob: hash, size: BigInt(size) });
}

export interface NewStageLog {
  hostId: string;
  stage: string;
  version: number;
  attempt: number;
  startedAt: number;
  endedAt: number;
  status: 'OK' | 'Failed';
  log: string;
}

export function newStageLog(from: NewStageLog): StageLog {
  const { startedAt, endedAt, ...rest } = from;
  return create(StageLogSchema, {
    ...rest,
    versionText: String(from.version),
    start: timestampFromMs(startedAt),
    end: timestampFromMs(endedAt),
  });
}

export function milliseconds(timestamp: Timestamp | undefined): number | undefined {
  return timestamp && timestampMs(timestamp);
}

/**
 * A foreign producer reads its results from the queue it named. On some servers the high lane is a queue with another
 * name, so its results are returned in the normal lane.
 */
export function laneOf(request: Request): Lane {
  const foreignResult = !request.acceptsReferences && request.processingStages.length === 1;
  return isHigh(request) && !foreignResult ? 'high' : 'normal';
}

/** PERO's programs may send negative numbers, which become huge here. */
export function isHigh({ priority }: Pick<Request, 'priority'>): boolean {
  return priority >= 1 && priority < 2 ** 31;
}

/** The uuid and the number of remaining stages, so repeated work gets the same id. */
export function messageIdOf({ uuid, processingStages }: Request): string {
  return `${uuid}/${processingStages.length}`;
}

export function toMessage(request: Request): OutgoingMessage {
  return {
    id: messageIdOf(request),
    body: encodeRequest(request),
    lane: laneOf(request),
    ...(request.owner !== '' && { headers: { [ownerHeader]: request.owner } }),
  };
}

export function outputQueueOf(request: Request): string {
  return request.processingStages.at(-1) ?? '';
}
