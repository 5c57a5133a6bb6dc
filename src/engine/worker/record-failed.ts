import type { Delivery } from '../broker/broker.ts';
import { messageOf } from '../ground/errors.ts';
import { recordFailure } from '../request/failed-requests.ts';
import type { PassedOn } from '../request/outcome.ts';
import { messageIdOf, type Request } from '../request/request.ts';
import { withDeadline } from '../time/deadline.ts';
import type { WorkerParts } from './worker-parts.ts';

/** A message must not wait for a database that hangs. */
const longestMs = 5000;

/**
 * Records a request that has failed for good, so that its owner can see why. It is already durable in its output queue, or is about
 * to become a dead letter: without a database, it goes there all the same.
 */
export async function recordFailed(
  parts: Pick<WorkerParts, 'clock' | 'database' | 'log'>,
  request: Request,
  passed: PassedOn,
  { delivery, stage, stages }: { delivery: Pick<Delivery, 'id'>; stage: string; stages: readonly string[] },
): Promise<void> {
  const left =
    passed.to === 'dead'
      ? { outcome: 'dead' as const, queue: stage, message: delivery.id }
      : {
          outcome: 'output' as const,
          queue: request.processingStages[0] ?? '',
          message: messageIdOf(request),
        };
  try {
    const recorded = recordFailure(parts, request, { ...left, stages });
    await withDeadline(parts.clock, longestMs, recorded, () => {
      throw new Error(`the database did not answer within ${longestMs / 1000} s`);
    });
  } catch (error) {
    parts.log.warn({ error: messageOf(error), uuid: request.uuid }, 'a failed request could not be recorded');
  }
}
