import type { Operation } from '../engine/operation/operation.ts';
import { engineOperations } from '../engine/operation/operations/index.ts';
import type { StreamOperation } from '../engine/operation/stream-operation.ts';
import { transcriptionOperations, transcriptionStreams } from '../transcription/index.ts';
import { accessOperations } from './access/operations.ts';

/** Everything that can be done with an installation. Houses add theirs here. */
export const allOperations: readonly Operation[] = [
  ...engineOperations,
  ...accessOperations,
  ...transcriptionOperations,
];

/** Those whose answers are bytes. */
export const allStreams: readonly StreamOperation[] = transcriptionStreams;
