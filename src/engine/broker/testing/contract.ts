import { suite } from 'node:test';
import { administrationClaims } from './contract/administration.ts';
import { conservationClaims } from './contract/conservation.ts';
import { crashClaims } from './contract/crashes.ts';
import { deadLetterClaims } from './contract/dead-letters.ts';
import { deliveryClaims } from './contract/delivery.ts';
import { publishingClaims } from './contract/publishing.ts';
import { retryClaims } from './contract/retries.ts';
import { type BrokerSetup, claimsOf, type Prepare } from './contract/scene.ts';
import { stormClaims } from './contract/storm.ts';
import { turnClaims } from './contract/turns.ts';

export type { BrokerSetup };

/**
 * Tests every promise of `broker.ts`. The test of each adapter calls it with a way to make an empty store:
 *
 *     brokerContract('SQLite', async (t) => { ... return { open, pass, process } });
 */
export function brokerContract(adapter: string, prepare: Prepare): void {
  // Claims mostly wait: for delays, leases and servers. Each has a store of its own.
  suite(`${adapter} as a broker`, { concurrency: 4 }, () => {
    const claim = claimsOf(prepare);
    publishingClaims(claim);
    deliveryClaims(claim);
    turnClaims(claim);
    retryClaims(claim);
    deadLetterClaims(claim);
    administrationClaims(claim);
    crashClaims(claim);
    conservationClaims(claim);
    stormClaims(claim);
  });
}
