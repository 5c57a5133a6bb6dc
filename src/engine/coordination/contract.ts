import { describe, type TestContext, test } from 'node:test';
import { type ErrorCode, hasCode } from '../errors.ts';
import type { Coordination } from './coordination.ts';
import { holdClaims } from './hold-contract.ts';
import { nodeClaims } from './node-contract.ts';
import { watchClaims } from './watch-contract.ts';

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

/** What every adapter of the Coordination port must do. `create` makes an empty tree for one test. */
export function coordinationContract(
  adapter: string,
  create: (test: TestContext) => Promise<CoordinationUnderTest>,
): void {
  const claim: Claim = (what, check) => {
    test(what, async (context) => {
      const tree = await create(context);
      try {
        await check(tree, await tree.open('first'));
      } finally {
        await tree.close();
      }
    });
  };
  describe(`Coordination: nodes on ${adapter}`, () => nodeClaims(claim));
  describe(`Coordination: watches on ${adapter}`, () => watchClaims(claim));
  describe(`Coordination: holds on ${adapter}`, () => holdClaims(claim));
}
