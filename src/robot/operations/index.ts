import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import {
  robotDelete,
  robotList,
  robotNew,
  robotPause,
  robotResume,
  robotRevisit,
  robotStart,
  robotStatus,
  robotStop,
} from './crawls.ts';
import { robotHarvesters, robotSetHarvesters } from './harvesters.ts';
import {
  robotDisallowed,
  robotExplain,
  robotHosts,
  robotOptions,
  robotRelease,
  robotSegment,
  robotSegments,
} from './reading.ts';

/** All operations on crawls. */
export const robotOperations: (Operation | StreamOperation)[] = [
  robotNew,
  robotList,
  robotStatus,
  robotStart,
  robotPause,
  robotResume,
  robotStop,
  robotRevisit,
  robotDelete,
  robotOptions,
  robotHosts,
  robotExplain,
  robotDisallowed,
  robotSegments,
  robotSegment,
  robotRelease,
  robotHarvesters,
  robotSetHarvesters,
];
