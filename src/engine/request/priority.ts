import type { Role } from '../ground/caller.ts';
import { PismakError } from '../ground/errors.ts';

/** Requests with 1 or more go before everybody's other requests, so only users with the right may send them. */
export function checkPriority(
  priority: number | undefined,
  by: { role?: Role | undefined; mayPrioritise?: boolean | undefined },
): void {
  if ((priority ?? 0) < 1 || by.role === 'admin' || by.mayPrioritise) return;
  throw new PismakError(
    'forbidden',
    'you may not submit work ahead of other users; leave out the priority, or ask an administrator for the right (`pismak user set NAME --priority yes`)',
  );
}
