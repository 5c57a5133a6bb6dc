import type { Queries } from '../database/database.ts';
import type { Ports } from '../ports/ports.ts';
import type { Stage } from '../stage/stage.ts';
import type { Stages } from '../stage/stages.ts';
import type { OpenRequests } from './open-requests.ts';
import { outputQueueOf, type Request } from './request.ts';

/** A request that a user submitted to stages, as houses count it against their limits. */
export interface SubmittedRequest {
  owner: string;
  /** The key or session that submitted it, see `Caller`. */
  credential?: string | undefined;
  stages: readonly Stage[];
  count: 1 | -1;
}

export interface HouseWithLimits {
  readonly name: string;
  /**
   * Counts a submitted request against the owner's limits, in the transaction that admits it, or throws `quota-exceeded`.
   * -1 takes back a count when the request could not be published. False if this house doesn't count such requests.
   */
  countRequest?(
    engine: Pick<Ports, 'clock' | 'settings'>,
    transaction: Queries,
    request: SubmittedRequest,
  ): Promise<boolean>;
}

type Admission = Pick<Ports, 'clock' | 'database' | 'settings'> & {
  houses: readonly HouseWithLimits[];
  openRequests: OpenRequests;
  stages: Stages;
};

/** Counts a request against its owner's limits before it is published. `isLimited`: against the limit of open requests too. */
export function admit(
  engine: Admission,
  request: Request,
  by: { credential?: string | undefined; isLimited?: boolean } = {},
): Promise<void> {
  return count(engine, request, { count: 1, ...by });
}

/** Takes the count back if the request was not published. */
export function takeBack(engine: Admission, request: Request, credential?: string): Promise<void> {
  return count(engine, request, { count: -1, credential });
}

async function count(
  engine: Admission,
  request: Request,
  { isLimited = false, ...more }: { count: 1 | -1; credential?: string | undefined; isLimited?: boolean },
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
    else {
      const output = outputQueueOf(request);
      await openRequests.add(transaction, { uuid, owner, house, output, isLimited });
    }
  });
}

async function stagesOf({ houses, stages }: Admission, request: Request): Promise<Stage[]> {
  if (!houses.some((house) => house.countRequest)) return [];
  const named = new Set(request.processingStages);
  return (await stages.list()).filter(({ name }) => named.has(name));
}
