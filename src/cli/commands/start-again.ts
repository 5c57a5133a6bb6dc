import { PismakError } from '../../engine/ground/errors.ts';
import { workerEnable, workerList } from '../../engine/operation/operations/worker.ts';
import type { Session } from '../../terminal/session.ts';

/** `worker start`: enables a running worker. Of one that doesn't run it says how to start it, because only its own machine can. */
export async function startAgain({ client, out }: Session, id: string): Promise<void> {
  const caller = await client();
  const { workers } = await caller.call(workerList, {});
  const worker = workers.find((each) => each.id === id);
  if (!worker)
    throw new PismakError(
      'not-found',
      `there is no worker ${id}; \`pismak worker run --id ${id}\` starts one`,
    );
  const record = worker.enabled ? worker : await caller.call(workerEnable, { id });
  if (!worker.presence)
    throw new PismakError(
      'conflict',
      `worker ${id} does not run${worker.enabled ? '' : ' (it is enabled now)'}: start it on ${record.host}, with \`systemctl start\` and its unit, or \`pismak worker run --id ${id}\``,
    );
  if (out.json) return out.object(record);
  out.say(worker.enabled ? `worker ${id} runs already` : `worker ${id} is enabled and works again`);
}
