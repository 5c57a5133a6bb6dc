import type { Engine } from '../engine.ts';
import type { Stage } from '../stage/stage.ts';
import { outputQueueOf, type Request } from './request.ts';

type Parts = Pick<Engine, 'clock' | 'database' | 'houses' | 'openRequests' | 'settings' | 'stages'>;

/** Counts a request against the limits of its owner, before it is published. */
export function admit(engine: Parts, request: Request): Promise<void> {
  return count(engine, request, 1);
}

/** The request was counted and then not published. */
export function takeBack(engine: Parts, request: Request): Promise<void> {
  return count(engine, request, -1);
}

async function count(engine: Parts, request: Request, count: 1 | -1): Promise<void> {
  const { database, houses, openRequests } = engine;
  const { uuid, owner } = request;
  const stages = await stagesOf(engine, request);
  await database.transaction(async (transaction) => {
    if (count === 1) await openRequests.add(transaction, { uuid, owner, output: outputQueueOf(request) });
    else await openRequests.remove(transaction, request);
    for (const house of houses) await house.countRequest?.(engine, transaction, { owner, stages, count });
  });
}

async function stagesOf({ houses, stages }: Parts, request: Request): Promise<Stage[]> {
  if (!houses.some((house) => house.countRequest)) return [];
  const named = new Set(request.processingStages);
  return (await stages.list()).filter(({ name }) => named.has(name));
}
