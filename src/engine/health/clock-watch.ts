import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Alerts } from '../alert/alert.ts';
import { sayAlert } from '../alert/sentences.ts';
import type { Broker } from '../broker/broker.ts';
import type { Database } from '../database/database.ts';
import { messageOf } from '../ground/errors.ts';
import type { Clock } from '../time/clock.ts';
import { mendTimes } from './mend-times.ts';

/**
 * The clock of a machine may jump: a wrong date set by hand, a dead battery, a broken time server. While it is ahead,
 * everything looks old, and what is deleted for its age does not come back when the clock does. So nothing is
 * deleted by a clock that is more than a day ahead of what the time since the last check explains, until that has lasted for half a
 * day or an administrator accepts it. When the clock goes back, times stored meanwhile lie in the future; they are corrected.
 */
export interface ClockWatch {
  /** Tells the time that decides what is old enough to be deleted. */
  readonly retention: Clock;
  /** Since when deletions are held back, and when they resume if nothing else happens; undefined if they are not held back. */
  readonly held: { since: number; until: number; aheadMs: number } | undefined;
  /** Confirms that somebody has checked the clock and it is right. */
  accept(): Promise<void>;
  /** Checks for a jump, and deals with it. */
  look(): Promise<void>;
  close(): void;
}

const dayMs = 24 * 60 * 60 * 1000;
export const holdMs = 12 * 60 * 60 * 1000;
/** Time servers make smaller corrections; a suspended machine counts as running, so it does not jump. */
const jumpMs = 60_000;
const lookEveryMs = 5_000;
const storeEveryMs = 60_000;

export async function watchClock(parts: {
  clock: Clock;
  database: Database;
  broker: Broker;
  log: Logger;
  alerts: Pick<Alerts, 'raise' | 'clear'>;
  host?: string;
}): Promise<ClockWatch> {
  const { clock, database, broker, log, alerts, host = hostname() } = parts;
  const moment = `clock:${host}`;
  const upNow = () => clock.uptime?.() ?? clock.now();
  let last = { wall: clock.now(), up: upNow() };
  let storedUp = Number.NEGATIVE_INFINITY;
  /** How far the clock may be ahead of the true time. */
  let aheadMs = 0;
  let heldSinceUp = 0;
  let cancel = () => {};

  const isHeld = () => aheadMs > dayMs;
  const retentionNow = () => {
    notice();
    return clock.now() - (isHeld() ? aheadMs : 0);
  };

  /** Synchronous, so that nothing is deleted between a jump and its detection. Returns the size of the jump. */
  function notice(): number {
    const now = { wall: clock.now(), up: upNow() };
    const jump = now.wall - last.wall - (now.up - last.up);
    last = now;
    if (Math.abs(jump) < jumpMs) return 0;
    jumps.push(jump);
    aheadMs = Math.max(0, aheadMs + jump);
    heldSinceUp = now.up;
    return jump;
  }
  const jumps: number[] = [];

  async function look(): Promise<void> {
    notice();
    for (const jump of jumps.splice(0)) await handle(jump);
    if (isHeld() && upNow() - heldSinceUp >= holdMs) await accept();
    if (upNow() - storedUp >= storeEveryMs) {
      await store();
      storedUp = upNow();
    }
  }

  async function handle(jump: number): Promise<void> {
    const now = clock.now();
    const by = inWords(Math.abs(jump));
    log.warn({ jumpMs: jump }, `the clock of ${host} was set ${jump > 0 ? 'ahead' : 'back'} by ${by}`);
    if (jump < 0) {
      await mendTimes(database, { now, backMs: -jump });
      await broker.shiftDelays?.(jump);
    }
    if (isHeld()) {
      const until = new Date(now + holdMs).toISOString();
      const reason = sayAlert(jump > 0 ? 'clock.ahead' : 'clock.back', { host, by, until });
      await alerts.raise('clock.jumped', host, reason, { jumpMs: jump });
    } else await alerts.clear('clock.jumped', host);
  }

  async function store(): Promise<void> {
    const at = Math.round(clock.now() - (isHeld() ? aheadMs : 0));
    await database.query
      .insertInto('moment')
      .values({ name: moment, at })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ at }))
      .execute();
  }

  async function accept(): Promise<void> {
    aheadMs = 0;
    jumps.length = 0;
    await store();
    await alerts.clear('clock.jumped', host);
  }

  const row = await database.query
    .selectFrom('moment')
    .select('at')
    .where('name', '=', moment)
    .executeTakeFirst();
  if (row) {
    // A machine that was off for days looks the same as a jump; holding back deletions is harmless in both cases.
    aheadMs = Math.max(0, clock.now() - Number(row.at));
    heldSinceUp = upNow();
    if (isHeld())
      log.info(
        { awayMs: aheadMs },
        'nothing is deleted for its age for half a day: the last run was long ago',
      );
    else aheadMs = 0;
  }
  let closed = false;
  const again = () => {
    if (closed) return;
    cancel = clock.after(lookEveryMs, () => {
      void look()
        .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'the clock could not be checked'))
        .finally(again);
    });
  };
  again();
  return {
    retention: { ...clock, now: retentionNow, after: (ms, callback) => clock.after(ms, callback) },
    get held() {
      if (!isHeld()) return undefined;
      const since = clock.now() - (upNow() - heldSinceUp);
      return { since, until: since + holdMs, aheadMs };
    },
    accept,
    look,
    close() {
      closed = true;
      cancel();
    },
  };
}

function inWords(ms: number): string {
  const hours = ms / 3_600_000;
  return hours >= 48 ? `${Math.round(hours / 24)} days` : `${Math.round(ms / 60_000)} minutes`;
}
