import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import type { Lane, OutgoingMessage } from '../broker/broker.ts';
import { messageOf, PismakError } from '../errors.ts';
import {
  type ProcessingRequest,
  ProcessingRequestSchema,
  type ResultFile,
  ResultFileSchema,
  type StageLog,
  StageLogSchema,
} from './request_pb.ts';

/**
 * A request travels from queue to queue: `processingStages` begins with the stage it waits for and ends with its output
 * queue. It is what PERO's programs send and read (see request.proto); fields that we don't know are kept.
 */
export type Request = ProcessingRequest;
export type { ResultFile, StageLog };

/** The request as it travels: protobuf. */
export function encodeRequest(request: Request): Uint8Array {
  return toBinary(ProcessingRequestSchema, request);
}

/** `request-invalid` for anything that is not a request one could work on. */
export function decodeRequest(body: Uint8Array): Request {
  let request: Request;
  try {
    request = fromBinary(ProcessingRequestSchema, body);
  } catch (error) {
    throw new PismakError('request-invalid', `not a processing request: ${messageOf(error)}`, {
      cause: error,
    });
  }
  // Random bytes often parse as a message of unknown fields only, so the two fields that steer it must be there.
  if (request.uuid === '')
    throw new PismakError('request-invalid', 'not a processing request: it has no uuid');
  if (request.processingStages.length === 0) {
    throw new PismakError(
      'request-invalid',
      `request ${request.uuid} has no stages, not even an output queue`,
    );
  }
  return request;
}

/** What a producer says about a request. */
export interface NewRequest {
  uuid: string;
  pageUuid?: string;
  priority?: number;
  stages: readonly string[];
  files: readonly { name: string; content: Uint8Array }[];
  startedAt: number;
  owner?: string;
  pipeline?: string;
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
    acceptsReferences: from.acceptsReferences ?? true,
  });
}

/** A file of a request, with its content inside. */
export function newFile(name: string, content: Uint8Array): ResultFile {
  return create(ResultFileSchema, { name, content, size: BigInt(content.length) });
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
    start: timestampFromMs(startedAt),
    end: timestampFromMs(endedAt),
  });
}

export function milliseconds(timestamp: Timestamp | undefined): number | undefined {
  return timestamp && timestampMs(timestamp);
}

/**
 * A foreign producer reads its results from the queue that it named; on some servers the high lane is a queue of another
 * name, so what is done for it comes back in the normal one.
 */
export function laneOf(request: Request): Lane {
  const foreignResult = !request.acceptsReferences && request.processingStages.length === 1;
  return request.priority >= 1 && !foreignResult ? 'high' : 'normal';
}

/** Message ids repeat when the work does: the uuid and the stages that remain. */
export function toMessage(request: Request): OutgoingMessage {
  return {
    id: `${request.uuid}/${request.processingStages.length}`,
    body: encodeRequest(request),
    lane: laneOf(request),
  };
}

export function outputQueueOf(request: Request): string {
  return request.processingStages.at(-1) ?? '';
}
