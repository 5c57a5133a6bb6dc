import type { HouseParts } from '../engine/house.ts';
import { migrations } from './database/migrations.ts';
import { isInDocument } from './documents/bytes-of-documents.ts';
import { countRequest } from './documents/quota.ts';
import { transcriptionOperations } from './operations/index.ts';
import { transcriptionProcessors } from './processors.ts';
import { runTranscription } from './run-transcription.ts';
import { firstStart } from './stages.ts';

/** The parts of this house that a running engine needs. */
export const parts: HouseParts = {
  migrations: migrations.migrations,
  processors: transcriptionProcessors,
  firstStart,
  operations: transcriptionOperations,
  mayUseBlob: isInDocument,
  countRequest,
  run: runTranscription,
};
