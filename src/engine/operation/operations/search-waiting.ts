import type { Broker, Cancellable, Page, StoredMessage } from '../../broker/broker.ts';
import { letterMatcher } from '../../broker/dead-letter-filter.ts';

/** RabbitMQ can't search: messages are taken and put back, and those further back are not worth that. */
export const mostSearched = 1000;
const atOnce = 100;

/** The messages among the first thousand waiting ones that match. Only those of the page are kept in memory. */
export async function searchWaiting(
  broker: Broker,
  queue: string,
  filter: { owner: string | undefined; text: string | undefined },
  { offset, limit, signal }: Required<Page> & Cancellable,
): Promise<{ messages: StoredMessage[]; searched: number }> {
  const matches = letterMatcher(filter);
  const messages: StoredMessage[] = [];
  let [searched, found] = [0, 0];
  while (searched < mostSearched) {
    signal?.throwIfAborted();
    const some = await broker.peek(queue, { offset: searched, limit: atOnce });
    for (const message of some) {
      if (!matches(message)) continue;
      if (found >= offset && messages.length < limit) messages.push(message);
      found++;
    }
    searched += some.length;
    if (some.length < atOnce) break;
  }
  return { messages, searched };
}
