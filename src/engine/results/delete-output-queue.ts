import { disown } from '../blob-owners/blob-owners.ts';
import type { StoredMessage } from '../broker/broker.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import type { Ports } from '../ports/ports.ts';
import type { Cancellations } from '../request/cancellations.ts';
import type { OpenRequests } from '../request/open-requests.ts';
import { endRequests } from '../request/open-requests.ts';
import { decodeRequest, type Request } from '../request/request.ts';
import { requestOwner } from '../request/result-files.ts';
import type { Pipelines } from '../stage/pipelines.ts';
import { programOwner } from '../stage/program-owner.ts';

type DeletingOutput = Pick<Ports, 'broker' | 'database'> & {
  cancellations: Cancellations;
  openRequests: OpenRequests;
  pipelines: Pipelines;
};

const atOnce = 500;

/**
 * Deletes an output queue with its results and their blobs. Throws `conflict` while results wait in it,
 * requests are on their way to it or a pipeline ends in it, unless forced: then such requests are cancelled. Safe to repeat
 * after a crash. Resolves to the number of results deleted.
 */
export async function deleteOutputQueue(
  engine: DeletingOutput,
  queue: string,
  force: boolean,
): Promise<number> {
  const { broker, cancellations, database, openRequests, pipelines } = engine;
  if ((await pipelines.outputOwner(queue)) === programOwner)
    throw new PismakError(
      'forbidden',
      `Pismak itself takes the results from ${queue}, so it can't be deleted`,
    );
  if (!force) await refuseUsed(engine, queue);
  const deleted =
    (await release(engine, (offset) => broker.peek(queue, { offset, limit: atOnce }))) +
    (await release(engine, (offset) => broker.dead(queue, { offset, limit: atOnce })));
  for (;;) {
    const some = await openRequests.going(queue, atOnce);
    if (some.length === 0) break;
    await database.transaction(async (transaction) => {
      // In the other order, the list of cancelled requests would be cleared too.
      await endRequests(transaction, some);
      for (const [owner, of] of Map.groupBy(some, (request) => request.owner))
        await cancellations.add(transaction, { owner, names: of.map(({ uuid }) => uuid) });
    });
  }
  await cancellations.announce();
  await broker.remove(queue).catch(unlessGone);
  // Last: until then, the owner can repeat the deletion.
  await pipelines.forgetOutput(queue);
  return deleted;
}

async function refuseUsed({ broker, openRequests, pipelines }: DeletingOutput, queue: string): Promise<void> {
  const refuse = (reason: string) => {
    throw new PismakError('conflict', `${reason}; use force to delete queue ${queue} anyway`);
  };
  const ending = (await pipelines.list()).filter(({ stages }) => stages.at(-1) === queue);
  if (ending.length > 0) refuse(`pipeline ${ending.map(({ name }) => name).join(', ')} ends in ${queue}`);
  const status = await broker.status(queue).catch(unlessGone);
  const { ready = { high: 0, normal: 0 }, delayed = 0, inFlight = 0, dead = 0 } = status ?? {};
  const waiting = ready.high + ready.normal + delayed + inFlight + dead;
  if (waiting > 0) refuse(`${waiting} results wait in ${queue} and would be lost`);
  if ((await openRequests.going(queue, 1)).length > 0) refuse(`requests are on their way to ${queue}`);
}

/** Gives up the blobs of the requests in these messages. Resolves to the number of messages. */
async function release(
  { database }: DeletingOutput,
  read: (offset: number) => Promise<StoredMessage[]>,
): Promise<number> {
  for (let offset = 0; ; ) {
    const messages = (await read(offset).catch(unlessGone)) ?? [];
    if (messages.length === 0) return offset;
    offset += messages.length;
    const requests = messages.flatMap(({ body }) => tryDecode(body));
    for (const request of requests)
      if (request.ownsBlobs) await disown(database.query, requestOwner(request));
    await endRequests(database.query, requests);
  }
}

function tryDecode(body: Uint8Array): Request[] {
  try {
    return [decodeRequest(body)];
  } catch {
    return [];
  }
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, 'queue-unknown')) throw error;
  return undefined;
}
