import { tookTooLong } from '../database/read-in-turn.ts';
import type { Engine } from '../engine.ts';
import { PismakError } from '../errors.ts';
import { withDeadline } from '../time/deadline.ts';
import { withSignal } from '../time/within-time.ts';
import type { Operation, OperationContext } from './operation.ts';

/** For every operation that declares no other. */
export const usualDeadlineMs = 30_000;

const waitMs = 30_000;

/** Runs a handler within what its operation may cost: its deadline, its turn, and a connection apart for heavy reads. */
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
    // A caller who waits is told in time. For one who has left, nothing is gained by leaving a handler in the middle.
    return await withSignal(clock, { ms, signal: context.signal, late }, (signal) => {
      running = start(signal);
      return withDeadline(clock, ms, running, () => {
        throw late();
      });
    });
  } finally {
    // After the deadline, the work may still be under way.
    void Promise.resolve(running).then(endTurn, endTurn);
  }
}

function takeTurn({ engine, caller, signal }: OperationContext): Promise<() => void> {
  return withSignal(engine.clock, { ms: waitMs, signal, late: notBegun }, (waiting) =>
    engine.callTurns.calls.take(caller.name, waiting),
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

function notBegun(): PismakError {
  return new PismakError(
    'unavailable',
    'too many calls that take long are under way, so this one was not begun; try again later',
    { details: { retryAfterSeconds: 30 } },
  );
}

/** A change is not undone half-way: it may still come to its end. */
function stillRunning(ms: number): PismakError {
  return new PismakError(
    'took-too-long',
    `this takes longer than ${ms / 1000} s and may still be under way; look whether it is done before you repeat it`,
    { details: { deadlineMs: ms, retryAfterSeconds: 30 } },
  );
}
