import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { sayRefusal } from '../../engine/ground/refusals.ts';
import { networkOf } from '../../engine/network/network-of.ts';
import { ofStranger } from '../../engine/operation/audit-policy.ts';
import { OwnerSlots } from '../../engine/turns/owner-slots.ts';
import { role } from './accounts.ts';
import { passwordMatches } from './password.ts';
import { type NewSession, openSession } from './sessions.ts';
import { type Attempt, checkAttempt, countAttempt, forgive } from './sign-in-limits.ts';

/** A check costs about 0.3 s of a core and 32 MB, and strangers can cause it. More slots would also block Node's thread pool. */
const slots = new OwnerSlots({ inAll: 2, waitingPerOwner: 20, waiting: 100, what: 'password checks' });

type SigningIn = Pick<Engine, 'audit' | 'clock' | 'database' | 'events' | 'log' | 'random'>;

/** Opens a session for the right name and password, and records both outcomes. */
export async function signIn(
  parts: SigningIn,
  { name, password, address }: { name: string; password: string; address: string },
): Promise<NewSession> {
  const account = await parts.database.query
    .selectFrom('account')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  const attempt = { name, account: account?.name, address };
  try {
    await checkPassword(parts, attempt, password, account?.passwordHash, account?.disabled === 0);
  } catch (error) {
    await tellRefused(parts, attempt, error);
    throw error;
  }
  const session = await openSession(parts, { name, role: role.parse(account?.role), address });
  await tell(parts, attempt, 'ok');
  parts.events.emit({ kind: 'session.opened', entity: name, user: name, at: parts.clock.now() });
  return session;
}

/** Fails unless the password is right, and counts failures. Takes the same time for names that don't exist. */
export async function checkPassword(
  parts: Pick<Engine, 'clock' | 'database' | 'random'>,
  attempt: Attempt,
  password: string,
  passwordHash: string | undefined,
  mayEnter = true,
): Promise<void> {
  await checkAttempt(parts, attempt);
  await slots.run(networkOf(attempt.address), async () => {
    await countAttempt(parts, attempt);
    const matches = await passwordMatches(password, passwordHash);
    // Give the same answer for every reason, so that it does not reveal whether the name, the password or the account is at fault.
    if (!matches || !mayEnter) {
      throw new PismakError('not-signed-in', sayRefusal('refused.wrong-password', {}));
    }
    await forgive(parts, attempt);
  });
}

async function tellRefused(parts: SigningIn, attempt: Attempt, error: unknown): Promise<void> {
  const outcome = ['not-signed-in', 'too-many-requests'].find((code) =>
    hasCode(error, code as 'not-signed-in'),
  );
  if (outcome === undefined) return;
  await tell(parts, attempt, outcome);
  if (outcome !== 'not-signed-in') return;
  // Don't report a name that does not exist: it may be a password.
  const { account } = attempt;
  const user = account === undefined ? {} : { user: account };
  const at = parts.clock.now();
  parts.events.emit({ kind: 'session.refused', entity: account ?? '(unknown)', ...user, at });
  parts.log.warn({ account: account ?? '(unknown)', address: attempt.address }, 'a sign-in was refused');
}

/** Writes the audit log. Failures share rows, because strangers can cause any number of them. */
async function tell(parts: SigningIn, { account, address }: Attempt, outcome: string): Promise<void> {
  const entry = { operation: 'session.login', inputJson: '{}', outcome, address };
  if (outcome === 'ok')
    return parts.audit.record({ ...entry, caller: account ? { name: account } : undefined });
  const kind = [account ?? '(unknown)', entry.operation, outcome];
  await parts.audit.record({
    ...entry,
    caller: undefined,
    owner: account,
    repeats: ofStranger(kind, address),
  });
}
