import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Coordination, Hold } from '../coordination/coordination.ts';
import { hasCode } from '../ground/errors.ts';
import { QuietWarnings } from '../log/quiet-warnings.ts';
import { type Clock, sleep } from '../time/clock.ts';
import { unlessAborted } from '../time/deadline.ts';
import { WakeUp } from '../time/wake-up.ts';

/** What a service gets each time it becomes the leader. */
export interface ServiceContext {
  /** The leadership. Writes made `under` it are refused once it is lost. */
  hold: Hold;
  coordination: Coordination;
  /** Aborts when the leadership is lost or the service is closed: `run` must return soon after. */
  signal: AbortSignal;
}

/** What `runService` needs. */
export interface ServiceParts {
  name: string;
  openSession(identity: string): Promise<Coordination>;
  clock: Clock;
  log: Logger;
  run(context: ServiceContext): Promise<void>;
}

/** A part with its own life cycle, such as a service. */
export interface Running {
  close(): Promise<void>;
}

const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/**
 * A loop that one process of the cluster runs at a time. In each process it is
 *
 * - *standby*: a session waits for the hold of the service's path;
 * - *leader*: `run` runs, until it returns, throws, or the hold or its session is lost (then its `signal` aborts);
 * - *pausing* after that, for 1 to 30 s, and then standby again with a new session;
 * - *closed* by `close`, which gives up the hold, so another process leads at once.
 */
export function runService({ name, openSession, clock, log, run }: ServiceParts): Running {
  const stop = new AbortController();
  const identity = `${name}@${hostname()}:${process.pid}`;

  /** Opening waits for unreachable servers; stopping does not. */
  async function openUnlessStopped(): Promise<Coordination> {
    const opening = openSession(identity);
    try {
      return await unlessAborted(opening, stop.signal);
    } catch (error) {
      opening.then(
        (late) => late.close(),
        () => {},
      );
      throw error;
    }
  }

  /** One session, from waiting for leadership to losing or releasing it. */
  async function serve(): Promise<void> {
    const coordination = await openUnlessStopped();
    try {
      const until = AbortSignal.any([stop.signal, coordination.lost]);
      const hold = await coordination.hold(servicePath(name), identity, until);
      try {
        log.debug({ service: name, fence: hold.fence }, 'leading');
        warnings.end();
        await run({ hold, coordination, signal: AbortSignal.any([until, hold.lost]) });
      } finally {
        if (hold.lost.aborted) log.warn({ service: name, fence: hold.fence }, 'leadership lost');
        await hold.release();
      }
    } finally {
      await coordination.close();
    }
  }

  const warnings = new QuietWarnings(log, clock);

  async function loop(): Promise<void> {
    let pauseMs = firstPauseMs;
    while (!stop.signal.aborted) {
      const began = clock.now();
      try {
        await serve();
      } catch (error) {
        // Stopping ends in an error as well: log only unexpected ones.
        if (!stop.signal.aborted)
          tell(warnings, log, name, error, 'service interrupted; it will stand for election again');
      }
      if (clock.now() - began > longestPauseMs) pauseMs = firstPauseMs;
      await sleep(clock, pauseMs, stop.signal);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    }
  }

  const ended = loop();
  return {
    async close() {
      stop.abort();
      await ended;
    },
  };
}

/** Logs an unreachable server once a minute, and any other error in full each time. */
function tell(warnings: QuietWarnings, log: Logger, name: string, error: unknown, text: string): void {
  const isAbsence = hasCode(error, 'unavailable') || hasCode(error, 'session-lost');
  if (isAbsence) warnings.warn(`${name}: ${text}`, error);
  else log.error({ service: name, err: error }, text);
}

export function servicePath(name: string): string {
  return `/services/${name}`;
}

/**
 * The work of most services: runs `round` until the signal aborts. The next round comes after `periodMs`, or after the
 * time the round resolves to (0: at once), or when it is woken. A failed round is logged, and the next one follows.
 */
export async function everyPeriod(
  parts: { name: string; clock: Clock; log: Logger; periodMs: number; signal: AbortSignal; wakeUp?: WakeUp },
  round: () => Promise<number | undefined>,
): Promise<void> {
  const { name, clock, log, periodMs, signal, wakeUp = new WakeUp() } = parts;
  const warnings = new QuietWarnings(log, clock);
  while (!signal.aborted) {
    let pauseMs: number | undefined;
    try {
      pauseMs = await round();
      warnings.end();
    } catch (error) {
      if (signal.aborted) return;
      tell(warnings, log, name, error, 'a round failed; the next one follows');
    }
    if (pauseMs !== 0) await wakeUp.wait(clock, pauseMs ?? periodMs, signal);
  }
}
