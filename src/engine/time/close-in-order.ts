import type { Clock } from './clock.ts';
import { endsWithin } from './deadline.ts';

/**
 * Closes what was opened, the last first. A part that fails, or waits too long for an absent server, doesn't keep the
 * others open; the first failure is thrown at the end. The list is empty afterwards.
 */
export async function closeInOrder(clock: Clock, ms: number, steps: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps.splice(0).reverse()) {
    try {
      await endsWithin(clock, ms, (async () => step())());
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** How long one part may take: workers finish their messages and then disconnect from servers. */
export function closeLimitMs(settings: { worker: { drainMs: number } }): number {
  return settings.worker.drainMs + 10_000;
}
