import type { Engine } from '../engine.ts';
import type { Stage } from '../stage/stage.ts';
import { outputQueueOf, type Request } from './request.ts';

type Parts = Pick<Engine, 'clock' | 'database' | 'houses' | 'openRequests' | 'settings' | 'stages'>;

/** Counts a request against the limits of its owner, before it is published. */
export function admit(engine: Parts, request: Request, credential?: string): Promise<void> {
  return count(engine, request, { count: 1, credential });
}

/** The request was counted and then not published. */
export function takeBack(engine: Parts, request: Request, credential?: string): Promise<void> {
  return count(engine, request, { count: -1, credential });
}

async function count(
  engine: Parts,
  request: Request,
  more: { count: 1 | -1; credential?: string | undefined },
): Promise<void> {
  const { database, houses, openRequests } = engine;
  const { uuid, owner } = request;
  const stages = await stagesOf(engine, request);
  await database.transaction(async (transaction) => {
    let house = '';
    for (const { name, countRequest } of houses) {
      if (await countRequest?.(engine, transaction, { ...more, owner, stages })) house = name;
    }
    if (more.count === -1) await openRequests.remove(transaction, request);
    else await openRequests.add(transaction, { uuid, owner, house, output: outputQueueOf(request) });
  });
}

async function stagesOf({ houses, stages }: Parts, request: Request): Promise<Stage[]> {
  if (!houses.some((house) => house.countRequest)) return [];
  const named = new Set(request.processingStages);
  return (await stages.list()).filter(({ name }) => named.has(name));
}
