import { hostname } from 'node:os';
import { sayAlert } from '../../alert/sentences.ts';
import type { Ports } from '../../ports/ports.ts';
import { checkStores, type Store, type StoreWrites, stores } from '../check-stores.ts';
import type { Check } from './check.ts';

const timeoutMs = 5000;

/** Stores that this process can't read or write. Each host checks for itself: one may be cut off while others are not. */
export function unreachableStores(
  engine: Pick<Ports, Store | 'clock' | 'disk'> & { storeWrites: StoreWrites },
  host = hostname(),
): Check {
  return {
    kind: 'store.unreachable',
    isMine: (entity) => entity.endsWith(`@${host}`),
    async look() {
      const troubles = await checkStores(engine, timeoutMs);
      return stores.flatMap((store) => {
        const trouble = troubles[store];
        if (trouble === undefined) return [];
        const { state, reason: why } = trouble;
        const code = state === 'down' ? 'store.unreachable' : 'store.read-only';
        const reason = sayAlert(code, { store, host, why });
        return { entity: `${store}@${host}`, reason, details: { store, host, state } };
      });
    },
  };
}
