import type { Logger } from 'pino';
import type { Alerts } from '../../alert/alert.ts';
import { messageOf } from '../../ground/errors.ts';
import type { Sentence } from '../../ground/sentence.ts';
import type { Clock } from '../../time/clock.ts';

/** A check for one kind of problem, with one kind of alert. */
export interface Check {
  kind: string;
  /** All current problems of this kind. If it throws, no alert is raised or cleared. */
  look(): Promise<Finding[]>;
  /** For checks that each process makes for itself: whether this process clears the alert. */
  isMine?(entity: string): boolean;
}

export interface Finding {
  entity: string;
  reason: Sentence;
  details: Readonly<Record<string, unknown>>;
}

/** How often to confirm an open alert. Not at every check: each confirmation is a write. */
const confirmEveryMs = 30_000;

/** Runs the check once: raises current problems and clears solved ones. */
export async function lookOnce(
  checks: readonly Check[],
  { alerts, clock, log }: { alerts: Alerts; clock: Clock; log: Logger },
): Promise<void> {
  const open = await alerts.list();
  for (const { kind, look, isMine = () => true } of checks) {
    let findings: Finding[];
    try {
      findings = await look();
    } catch (error) {
      log.warn({ check: kind, error: messageOf(error) }, 'a check failed');
      continue;
    }
    const ours = new Map(open.filter((alert) => alert.kind === kind).map((alert) => [alert.entity, alert]));
    for (const { entity, reason, details } of findings) {
      const known = ours.get(entity);
      ours.delete(entity);
      if (known && clock.now() - known.lastSeenAt < confirmEveryMs) continue;
      await alerts.raise(kind, entity, reason, details);
    }
    for (const entity of ours.keys()) if (isMine(entity)) await alerts.clear(kind, entity);
  }
}

/** Tracks how long a condition has held without interruption. */
export class Lasting {
  #since = new Map<string, number>();

  /** The keys whose condition holds now and has held for `ms`. */
  keep(keys: readonly string[], now: number, ms: number): Set<string> {
    this.#since = new Map(keys.map((key) => [key, this.#since.get(key) ?? now]));
    return new Set(keys.filter((key) => now - (this.#since.get(key) ?? now) >= ms));
  }
}
