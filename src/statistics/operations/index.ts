import type { Operation } from '../../engine/operation/operation.ts';
import { statisticsAccess, statisticsAllow } from './access.ts';
import {
  statisticsEntityCreate,
  statisticsEntityLs,
  statisticsEntityRemove,
  statisticsEntityUpdate,
} from './entity.ts';
import { statisticsExplain, statisticsSeries, statisticsTable } from './read.ts';
import { statisticsRpc } from './rpc.ts';
import {
  statisticsClose,
  statisticsCorrections,
  statisticsErase,
  statisticsReconcile,
  statisticsRollup,
  statisticsSchema,
} from './upkeep.ts';
import { statisticsBackfill, statisticsIngest } from './write.ts';

/** All operations of this house. */
export const statisticsOperations: Operation[] = [
  statisticsIngest,
  statisticsBackfill,
  statisticsSeries,
  statisticsTable,
  statisticsExplain,
  statisticsRpc,
  statisticsEntityCreate,
  statisticsEntityUpdate,
  statisticsEntityRemove,
  statisticsEntityLs,
  statisticsRollup,
  statisticsReconcile,
  statisticsClose,
  statisticsCorrections,
  statisticsSchema,
  statisticsAllow,
  statisticsAccess,
  statisticsErase,
];
