import { type ErrorCode, hasCode } from '../../errors.ts';
import type { Coordination } from '../coordination.ts';

/** One tree, empty at first. */
export interface CoordinationUnderTest {
  open(identity: string): Promise<Coordination>;
  /** Ends the session as the adapter's server does when nothing is heard of it. */
  expire(session: Coordination): Promise<void>;
  /** Stops everything and starts it again on what it has stored; all sessions are gone. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export type Claim = (
  what: string,
  check: (tree: CoordinationUnderTest, session: Coordination) => Promise<void>,
) => void;

export const code = (expected: ErrorCode) => (error: unknown) => hasCode(error, expected);
