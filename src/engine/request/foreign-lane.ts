import type { ForeignLane } from '../broker/broker.ts';
import type { Stage } from '../stage/stage.ts';
import { decodeRequest, isHigh } from './request.ts';

/** The lane of a request that another program published to a stage's queue: it asks by AMQP's priority or in the request. */
export function foreignLaneOf({ foreignPriority }: Pick<Stage, 'foreignPriority'>): ForeignLane {
  return ({ lane, body }) => {
    if (!foreignPriority) return 'normal';
    return lane === 'high' || asksForPriority(body) ? 'high' : 'normal';
  };
}

function asksForPriority(body: Uint8Array): boolean {
  try {
    return isHigh(decodeRequest(body));
  } catch {
    // It becomes a dead letter when its turn comes.
    return false;
  }
}
