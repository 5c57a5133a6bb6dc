import { tookTooLong } from '../database/read-in-turn.ts';
import type { Engine } from '../engine.ts';
import { PismakError } from '../errors.ts';
import { withDeadline } from '../time/deadline.ts';
import { OwnerSlots } from '../time/owner-slots.ts';
import { withSignal } from '../time/within-time.ts';
import type { Operation, OperationContext } from './operation.ts';

/** For every operation that declares no other. */
export const usualDeadlineMs = 30_000;

/** Few, so that together they can't keep the machine from its work; more than two users can hold. */
const work = { inAll: 8, perOwner: 2, waitingPerOwner: 50, what: 'calls' };
const turns = new WeakMap<Engine['database'], OwnerSlots>();

/** Runs a handler within what its operation may cost: its deadline, its turn, and a connection apart for heavy reads. */
export function runHandler(
  operation: Operation,
  context: OperationContext,
  input: unknown,
): Promise<unknown> {
  const { engine, caller } = context;
  const ms = operation.deadlineMs ?? usualDeadlineMs;
  const late = () => (operation.changes ? stillRunning(ms) : tookTooLong(ms));
  const start = (signal: AbortSignal) => {
    if (operation.heavy === 'read') {
      return engine.database.read({ owner: caller.name, signal }, (query) =>
        operation.handler({ ...context, signal, engine: readingApart(engine, query) }, input),
      );
    }
    const handle = () => operation.handler({ ...context, signal }, input);
    return operation.heavy === 'work' ? turnsOf(engine).run(caller.name, signal, handle) : handle();
  };
  // A caller who waits is told in time. For one who has left, nothing is gained by leaving a handler in the middle.
  return withSignal(engine.clock, { ms, signal: context.signal, late }, (signal) =>
    withDeadline(engine.clock, ms, start(signal), () => {
      throw late();
    }),
  );
}

/** An engine whose plain queries run on the connection of a heavy read. */
function readingApart(engine: Engine, query: Engine['database']['query']): Engine {
  const database: Engine['database'] = {
    ...engine.database,
    query,
    withTables: <Tables>() =>
      database as Engine['database'] & ReturnType<typeof engine.database.withTables<Tables>>,
  };
  return { ...engine, database };
}

function turnsOf({ database }: Engine): OwnerSlots {
  const known = turns.get(database) ?? new OwnerSlots(work);
  turns.set(database, known);
  return known;
}

/** A change is not undone half-way: it may still come to its end. */
function stillRunning(ms: number): PismakError {
  return new PismakError(
    'took-too-long',
    `this takes longer than ${ms / 1000} s and may still be under way; look whether it is done before you repeat it`,
    { details: { deadlineMs: ms, retryAfterSeconds: 30 } },
  );
}
