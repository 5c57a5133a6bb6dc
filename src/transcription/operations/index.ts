import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { documentOperations } from './document.ts';
import { evaluateOperations } from './evaluate.ts';
import { iiifStreams } from './iiif.ts';
import { pageOperations } from './pages.ts';
import { searchOperations } from './search.ts';
import { transcriptionStreams } from './streams.ts';
import { usageOperations } from './usage.ts';
import { viewStreams } from './views.ts';

/** All operations on documents. */
export const transcriptionOperations: (Operation | StreamOperation)[] = [
  ...documentOperations,
  ...pageOperations,
  ...evaluateOperations,
  ...searchOperations,
  ...transcriptionStreams,
  ...viewStreams,
  ...iiifStreams,
  ...usageOperations,
];
