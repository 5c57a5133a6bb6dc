import type { Operation } from '../../engine/operation/operation.ts';
import type { StreamOperation } from '../../engine/operation/stream-operation.ts';
import { auditOperations } from './audit-operations.ts';
import { keyOperations } from './key-operations.ts';
import { sessionOperations } from './session-operations.ts';
import { setupOperations } from './setup-operations.ts';
import { userOperations } from './user-operations.ts';
import { viewOperations } from './view-operations.ts';

/** Users, sessions, keys, the first administrator and the audit log. */
export const accessOperations: (Operation | StreamOperation)[] = [
  ...userOperations,
  ...keyOperations,
  ...sessionOperations,
  ...viewOperations,
  ...setupOperations,
  ...auditOperations,
];
