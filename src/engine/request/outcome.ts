import type { Broker } from '../broker/broker.ts';
import { hasCode } from '../ground/errors.ts';
import { newStageLog, outputQueueOf, type Request, toMessage } from './request.ts';

/** A stage's report on a request: the log entry that travels on with it. */
export type Report = Parameters<typeof newStageLog>[0];

/**
 * The only table of outcomes:
 *
 * | what happened                                    | where it goes                           |
 * |--------------------------------------------------|-----------------------------------------|
 * | processed                                        | the next queue of its list              |
 * | processed, the next queue is unknown             | its output queue, status Failed         |
 * | failed for good                                  | its output queue, status Failed         |
 * | the output queue is unknown too                  | dead letters of the stage               |
 * | does not parse                                   | dead letters of the stage               |
 * | processed or failed in the last stage of its list | it ends here; failed: dead letters      |
 *
 * Nothing else decides where a request goes. `passOn` resolves once it is durable there: only then may the
 * message be acked.
 */
export async function passOn(
  broker: Broker,
  request: Request,
  report: Report,
  /** Called when the request goes to its output queue early. */
  prepareForOutput: () => Promise<void> = async () => {},
): Promise<PassedOn> {
  const stages = request.processingStages;
  request.logs.push(newStageLog(report));
  const last = stages.length <= 1;
  if (report.status === 'OK') {
    if (last) return { to: 'end' };
    request.processingStages = stages.slice(1);
    const next = request.processingStages[0] ?? '';
    if (await publish(broker, next, request)) return { to: 'next', queue: next };
    if (request.processingStages.length > 1) {
      noteFailure(request, report, `stage ${next} does not exist, so the request could not go on`);
      await prepareForOutput();
      return passToOutput(broker, request);
    }
    return { to: 'dead', reason: `output queue ${next} does not exist` };
  }
  if (last) return { to: 'dead', reason: lastLine(report.log) };
  return passToOutput(broker, request);
}

export type PassedOn =
  | { to: 'next' | 'output'; queue: string }
  | { to: 'end' }
  | { to: 'dead'; reason: string };

async function passToOutput(broker: Broker, request: Request): Promise<PassedOn> {
  const queue = outputQueueOf(request);
  // Leave only the output queue, so that readers see where the request is.
  request.processingStages = [queue];
  if (await publish(broker, queue, request)) return { to: 'output', queue };
  const reason = lastLine(request.logs.at(-1)?.log ?? '');
  return { to: 'dead', reason: `${reason}; and output queue ${queue} does not exist` };
}

/** False if the queue does not exist. Other errors go to the caller: the message stays unacked and is delivered again. */
async function publish(broker: Broker, queue: string, request: Request): Promise<boolean> {
  try {
    await broker.publish(queue, toMessage(request));
    return true;
  } catch (error) {
    if (hasCode(error, 'queue-unknown')) return false;
    throw error;
  }
}

function noteFailure(request: Request, report: Report, reason: string): void {
  request.logs.push(newStageLog({ ...report, startedAt: report.endedAt, status: 'Failed', log: reason }));
}

/** The reason in the log of a failed stage. */
export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) || 'failed';
}
