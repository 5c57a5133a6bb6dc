import { type ErrorCode, hasCode } from '../../../ground/errors.ts';
import type { Coordination } from '../../coordination.ts';

/** One tree, empty at first. */
export interface CoordinationUnderTest {
  open(identity: string): Promise<Coordination>;
  /** Ends the session as the server does when the session goes silent. */
  expire(session: Coordination): Promise<void>;
  /** Stops everything and starts again from the stored data. All sessions are gone. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export type Claim = (
  what: string,
  check: (tree: CoordinationUnderTest, session: Coordination) => Promise<void>,
) => void;

export const code = (expected: ErrorCode) => (error: unknown) => hasCode(error, expected);
