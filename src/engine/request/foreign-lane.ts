import type { ForeignLane } from '../broker/broker.ts';
import type { Stage } from '../stage/stage.ts';
import { decodeRequest, isHigh } from './request.ts';

/** Which lane a request takes that another program put into the stage's queue: it asks in AMQP's way or in the request. */
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
    // It ends among the dead letters, in its turn.
    return false;
  }
}
