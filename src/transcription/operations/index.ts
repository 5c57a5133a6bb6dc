import type { Operation } from '../../engine/operation/operation.ts';
import { documentOperations } from './document.ts';
import { pageOperations } from './pages.ts';
import { searchOperations } from './search.ts';
import { uploadOperations } from './upload.ts';
import { usageOperations } from './usage.ts';

/** Everything that can be done with documents. */
export const transcriptionOperations: Operation[] = [
  ...documentOperations,
  ...pageOperations,
  ...searchOperations,
  ...uploadOperations,
  ...usageOperations,
];
