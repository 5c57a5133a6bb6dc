import { sayAlert } from '../../alert/sentences.ts';
import type { Broker } from '../../broker/broker.ts';
import type { Check } from './check.ts';

const shownMessages = 5;

/** Queues with dead letters. The alert stays, even across restarts, until somebody has redriven or discarded them. */
export function deadLetters({ broker }: { broker: Broker }): Check {
  return {
    kind: 'queue.dead-letters',
    async look() {
      const queues = (await broker.status()).filter(({ dead }) => dead > 0);
      return Promise.all(
        queues.map(async ({ name, dead }) => {
          const latest = await broker.dead(name, {
            offset: Math.max(0, dead - shownMessages),
            limit: shownMessages,
          });
          const messages = latest.map(({ id, history }) => ({ id, reason: history.at(-1)?.reason ?? '' }));
          // The reason why a message failed may quote its owner's files, so it goes into the details, which only administrators see.
          const reason = sayAlert('queue.dead-letters', { queue: name, dead });
          return { entity: name, reason, details: { queue: name, dead, messages } };
        }),
      );
    },
  };
}
