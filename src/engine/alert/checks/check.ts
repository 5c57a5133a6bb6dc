import type { Logger } from 'pino';
import { messageOf } from '../../errors.ts';
import type { Clock } from '../../time/clock.ts';
import type { Alerts } from '../alert.ts';

/** One thing that can be wrong, with one kind of alert. */
export interface Check {
  kind: string;
  /** Everything of this kind that is wrong now. What it throws neither raises nor clears anything. */
  look(): Promise<Finding[]>;
  /** Where each process looks for itself: whether it is this one that says when an alert is over. */
  isMine?(entity: string): boolean;
}

export interface Finding {
  entity: string;
  reason: string;
  details: Readonly<Record<string, unknown>>;
}

/** An open alert is confirmed this often, not with every look: each time is a write. */
const confirmEveryMs = 30_000;

/** Looks once: raises what is wrong and clears what no longer is. */
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
      log.warn({ check: kind, error: messageOf(error) }, 'a check could not be made');
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

/** Since when something is so without a break; a new beginning each time it was not. */
export class Lasting {
  #since = new Map<string, number>();

  /** Of the keys for which it is so now, those for which it has been so for `ms`. */
  keep(keys: readonly string[], now: number, ms: number): Set<string> {
    this.#since = new Map(keys.map((key) => [key, this.#since.get(key) ?? now]));
    return new Set(keys.filter((key) => now - (this.#since.get(key) ?? now) >= ms));
  }
}
