import { scheduleLog } from '../../engine/operation/operations/schedule.ts';
import type { ScheduleRun } from '../../engine/schedule/schedules.ts';
import { sleep } from '../../engine/time/clock.ts';
import type { Session } from '../../terminal/session.ts';

const lookMs = 1000;

/** Prints the log of a run while it grows (not with --json). Resolves to the run when it has ended. */
export async function followRun(
  { client, clock, out, signal }: Session,
  { name, run }: { name: string; run: string },
): Promise<ScheduleRun> {
  const caller = await client();
  let shown = 0;
  for (;;) {
    const now = (await caller.call(scheduleLog, { name, run })).run;
    const more = now.log.slice(shown).trimEnd();
    if (more !== '' && !out.json) out.text(more);
    shown = now.log.length;
    if (now.endedAt !== null) return now;
    await sleep(clock, lookMs, signal);
    signal.throwIfAborted();
  }
}
