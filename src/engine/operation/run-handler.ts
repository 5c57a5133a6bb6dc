import type { Engine } from '../composition/engine.ts';
import { tookTooLong } from '../database/read-in-turn.ts';
import { PismakError } from '../ground/errors.ts';
import { sayRefusal } from '../ground/refusals.ts';
import { withDeadline } from '../time/deadline.ts';
import { withSignal } from '../time/within-time.ts';
import type { Operation, OperationContext } from './operation.ts';

/** For operations that declare no timeout. */
export const usualDeadlineMs = 30_000;

const waitMs = 30_000;

/** Runs a handler within the limits of its operation: its deadline, its turn, and a separate connection for heavy reads. */
export async function runHandler(
  operation: Operation,
  context: OperationContext,
  input: unknown,
): Promise<unknown> {
  const { engine, caller } = context;
  const { clock } = engine;
  const ms = operation.deadlineMs ?? usualDeadlineMs;
  const late = () => (operation.changes ? stillRunning(ms) : tookTooLong(ms));
  const start = (signal: AbortSignal) => {
    if (operation.heavy !== 'read') return operation.handler({ ...context, signal }, input);
    return engine.database.read({ owner: caller.name, signal }, (query) =>
      operation.handler({ ...context, signal, engine: readingApart(engine, query) }, input),
    );
  };
  const endTurn = operation.heavy === 'work' ? await takeTurn(context) : () => {};
  let running: Promise<unknown> | undefined;
  try {
    // Answer a waiting caller in time. If the caller has left, abandoning the handler half-way gains nothing.
    return await withSignal(clock, { ms, signal: context.signal, late }, (signal) => {
      running = engine.busyWatch.sync(operation.name, () => start(signal));
      return withDeadline(clock, ms, running, () => {
        throw late();
      });
    });
  } finally {
    // The work may continue after the deadline.
    void Promise.resolve(running).then(endTurn, endTurn);
  }
}

function takeTurn({ engine, caller, signal }: OperationContext): Promise<() => void> {
  return withSignal(engine.clock, { ms: waitMs, signal, late: notBegun }, (waiting) =>
    engine.callTurns.calls.take(caller.name, waiting),
  );
}

/** An engine whose plain queries use the connection of a heavy read. */
function readingApart(engine: Engine, query: Engine['database']['query']): Engine {
  const database: Engine['database'] = {
    ...engine.database,
    query,
    withTables: <Tables>() =>
      database as Engine['database'] & ReturnType<typeof engine.database.withTables<Tables>>,
  };
  return { ...engine, database };
}

function notBegun(): PismakError {
  return new PismakError('unavailable', sayRefusal('failed.not-started', {}), {
    details: { retryAfterSeconds: 30 },
  });
}

/** A change is not rolled back half-way: it may still complete. */
function stillRunning(ms: number): PismakError {
  return new PismakError('took-too-long', sayRefusal('failed.may-still-run', { seconds: ms / 1000 }), {
    details: { deadlineMs: ms, retryAfterSeconds: 30 },
  });
}
