import { describe, type TestContext, test } from 'node:test';
import type { Claim, CoordinationUnderTest } from './contract/claim.ts';
import { holdClaims } from './contract/holds.ts';
import { nodeClaims } from './contract/nodes.ts';
import { watchClaims } from './contract/watches.ts';
import { electionClaims } from './models/election-claims.ts';

export type { CoordinationUnderTest };

/** Tests what every Coordination adapter must do. `create` makes an empty tree for one test. */
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
  describe(`Coordination: elections on ${adapter}`, () => electionClaims(claim));
}
