import { PismakError } from '../../ground/errors.ts';
import type { Lane } from '../broker.ts';

/**
 * The server queues behind one of our queues: two lanes, dead letters, and the delays needed so far. A program that knows
 * only AMQP publishes to the queue's own name through the default exchange. If the queue has an inbox, that is the inbox,
 * from which messages are sorted into the lanes (`inbox.ts`); otherwise it is the normal lane.
 */
export function laneQueue(queue: string, lane: Lane, hasInbox: boolean): string {
  if (lane === 'high') return `${queue}.high`;
  return hasInbox ? `${queue}.normal` : queue;
}

export function deadQueue(queue: string): string {
  return `${queue}.dead`;
}

/** The name of both the exchange and its queue. */
export function delayQueue(queue: string, step: number): string {
  return `${queue}.delay${step}`;
}

export const registryStream = 'pismak.queues';
export const chargeStream = 'pismak.attempts';

/** Messages wait in the queue of their step: 0 = below 1 s, 1 = below 4 s, 2 = below 16 s, and so on. */
export function delayStep(delayMs: number): number {
  let step = 0;
  for (let end = 1000; delayMs >= end; end *= 4) step++;
  return step;
}

/** The server counts in 32 bits. Longer waits belong in the Backlog. */
export const maxDelayMs = 2 ** 32 - 1;
export const delaySteps = delayStep(maxDelayMs) + 1;

export function fitsName(queue: string): boolean {
  return queue.length > 0 && Buffer.byteLength(queue) <= 240;
}

export function checkName(queue: string): void {
  const reserved = /^amq\.|^pismak\.|\.(high|normal|dead|delay\d+)$/.test(queue);
  if (fitsName(queue) && !reserved) return;
  const rule =
    '1 to 240 bytes, no amq. or pismak. at the start, no .high, .normal, .dead or .delay at the end';
  throw new PismakError(
    'invalid-input',
    `RabbitMQ cannot have a queue named ${queue.slice(0, 300)}. Use ${rule}.`,
  );
}
