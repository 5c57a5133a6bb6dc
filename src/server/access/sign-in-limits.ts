import { createHash } from 'node:crypto';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Database, Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { sayRefusal } from '../../engine/ground/refusals.ts';
import { networkOf } from '../../engine/network/network-of.ts';

const minute = 60_000;

/**
 * After `free` failures each further attempt waits, twice as long as the one before, up to `longestMs`.
 *
 * - `pair`, an account from one network: strict, because it is one guesser, or one user who forgot a password.
 * - `account`, from anywhere: wide, because strangers cause failures too. It locks nobody out: a new network waits once and
 *   then has its turn, whatever others do meanwhile.
 * - `address`, one network and any account: against guessing one password for many names.
 *
 * A network from which the account has a session is known: only `pair` counts there.
 */
const limits = {
  pair: { free: 5, firstMs: 15_000, longestMs: 5 * minute },
  account: { free: 50, firstMs: 1000, longestMs: minute },
  address: { free: 30, firstMs: 10_000, longestMs: 5 * minute },
};
type Scope = keyof typeof limits;
const scopes = ['address', 'account', 'pair'] as const;

/** Failures are forgotten after an hour without one. */
export const forgetMs = 60 * minute;
/** A granted turn expires after this time. */
const turnMs = 5 * minute;
/** Above this limit the rows with the fewest failures are deleted. To push out its own row, an attacker would have to fail this often. */
const mostRows = 20_000;
const trimEvery = 200;

export interface Attempt {
  name: string;
  /** The name of the account if it exists: alerts show only existing names. */
  account: string | undefined;
  address: string;
}

type Limiting = Pick<Engine, 'clock' | 'database' | 'random'>;
type Rows = Partial<Record<Scope, { failures: number; lastAt: number; turnAt: number }>>;

/** Refuses an attempt that comes too soon. Cheap, and counts nothing: call it before the password is checked. */
export async function checkAttempt(parts: Limiting, attempt: Attempt): Promise<void> {
  const waitMs = await waitFor(parts, parts.database.query, attempt);
  if (waitMs === 0) return;
  if (waitMs < 0) await giveTurn(parts, attempt, -waitMs);
  throw tooSoon(Math.abs(waitMs));
}

/**
 * Counts the attempt as failed before the password is checked, so that a hundred simultaneous guesses count as a hundred,
 * and a crash loses no failure. `forgive` undoes it.
 */
export async function countAttempt(parts: Limiting, attempt: Attempt): Promise<void> {
  const { database, clock } = parts;
  await database.transaction(async (transaction) => {
    // In PostgreSQL this makes attempts on the same rows wait for each other. The order is fixed, to avoid deadlocks.
    for (const scope of scopes) {
      await transaction
        .updateTable('signInFailure')
        .set((eb) => ({ failures: eb.ref('failures') }))
        .where('scope', '=', scope)
        .where('subject', '=', subjectOf(scope, attempt))
        .execute();
    }
    const waitMs = await waitFor(parts, transaction, attempt);
    if (waitMs !== 0) throw tooSoon(Math.abs(waitMs));
    const known = await readRows(transaction, attempt, clock.now());
    for (const scope of scopes) {
      const failures = (known[scope]?.failures ?? 0) + 1;
      await put(transaction, scope, attempt, { failures, lastAt: clock.now(), turnAt: 0 });
    }
  });
  await trimNowAndThen(parts);
}

/** Called for a right password. Forgives only this pair: others may be guessing this account, or guessing from this address. */
export async function forgive({ database }: Pick<Engine, 'database'>, attempt: Attempt): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const scope of scopes) {
      const [column, subject] = ['subject', subjectOf(scope, attempt)] as const;
      if (scope === 'pair') {
        await transaction
          .deleteFrom('signInFailure')
          .where('scope', '=', scope)
          .where(column, '=', subject)
          .execute();
      } else {
        await transaction
          .updateTable('signInFailure')
          .set((eb) => ({ failures: eb('failures', '-', 1) }))
          .where('scope', '=', scope)
          .where(column, '=', subject)
          .where('failures', '>', 0)
          .execute();
      }
    }
  });
}

/** How long the attempt must wait, as a negative number if it has no turn yet. */
async function waitFor(
  { clock }: Pick<Engine, 'clock'>,
  queries: Queries,
  attempt: Attempt,
): Promise<number> {
  const now = clock.now();
  const rows = await readRows(queries, attempt, now);
  const known = await isKnownNetwork(queries, attempt, now);
  const left = (scope: Scope) => {
    const row = rows[scope];
    return row ? Math.max(0, row.lastAt + delayOf(scope, row.failures) - now) : 0;
  };
  const strict = Math.max(left('pair'), known ? 0 : left('address'));
  if (strict > 0 || known) return strict;
  const delayMs = delayOf('account', rows.account?.failures ?? 0);
  if (delayMs === 0) return 0;
  const turnAt = rows.pair?.turnAt ?? 0;
  if (turnAt > now) return Math.min(turnAt - now, limits.account.longestMs);
  return now - turnAt < turnMs ? 0 : -delayMs;
}

function delayOf(scope: Scope, failures: number): number {
  const { free, firstMs, longestMs } = limits[scope];
  return failures < free ? 0 : Math.min(longestMs, firstMs * 2 ** Math.min(failures - free, 30));
}

async function giveTurn(parts: Limiting, attempt: Attempt, delayMs: number): Promise<void> {
  const { database, clock } = parts;
  const now = clock.now();
  const pair = (await readRows(database.query, attempt, now)).pair;
  const row = { failures: pair?.failures ?? 0, lastAt: pair?.lastAt ?? now, turnAt: now + delayMs };
  await put(database.query, 'pair', attempt, row);
  await trimNowAndThen(parts);
}

async function readRows(queries: Queries, attempt: Attempt, now: number): Promise<Rows> {
  const rows = await queries
    .selectFrom('signInFailure')
    .select(['scope', 'failures', 'lastAt', 'turnAt'])
    .where(({ eb, or, and }) =>
      or(
        scopes.map((scope) => and([eb('scope', '=', scope), eb('subject', '=', subjectOf(scope, attempt))])),
      ),
    )
    .execute();
  // Ignore times in the future: a wrong clock wrote them.
  const fresh = rows.filter(({ lastAt }) => now - lastAt < forgetMs && lastAt <= now + minute);
  return Object.fromEntries(fresh.map(({ scope, ...row }) => [scope, row]));
}

async function isKnownNetwork(queries: Queries, { name, address }: Attempt, now: number): Promise<boolean> {
  const sessions = await queries
    .selectFrom('session')
    .select('address')
    .where('account', '=', name)
    .where('expiresAt', '>', now)
    .execute();
  return sessions.some(
    (session) => session.address !== '' && networkOf(session.address) === networkOf(address),
  );
}

async function put(
  queries: Queries,
  scope: Scope,
  attempt: Attempt,
  row: { failures: number; lastAt: number; turnAt: number },
): Promise<void> {
  const shown = { pair: null, account: attempt.account ?? null, address: networkOf(attempt.address) }[scope];
  const values = { ...row, shown };
  await queries
    .insertInto('signInFailure')
    .values({ scope, subject: subjectOf(scope, attempt), ...values })
    .onConflict((conflict) => conflict.columns(['scope', 'subject']).doUpdateSet(values))
    .execute();
}

/** Hashed, because people sometimes type the password as the name. */
function subjectOf(scope: Scope, { name, address }: Attempt): string {
  const parts = { pair: [name, networkOf(address)], account: [name], address: [networkOf(address)] }[scope];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** At random, because a counter would need state for each database. The table stays bounded all the same. */
async function trimNowAndThen({ database, clock, random }: Limiting): Promise<void> {
  if (random() * trimEvery < 1) await trimFailures(database, clock.now());
}

/** Bounds the table, however many names and addresses attackers invent. */
export async function trimFailures({ query }: Database, now: number): Promise<void> {
  await query
    .deleteFrom('signInFailure')
    .where('lastAt', '<', now - forgetMs)
    .execute();
  const all = await query
    .selectFrom('signInFailure')
    .select(({ fn }) => fn.countAll().as('rows'))
    .executeTakeFirst();
  const tooMany = Number(all?.rows ?? 0) - mostRows;
  if (tooMany <= 0) return;
  await query
    .deleteFrom('signInFailure')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('scope', 'subject'),
        'in',
        selectFrom('signInFailure')
          .select(['scope', 'subject'])
          .orderBy('failures')
          .orderBy('lastAt')
          .limit(tooMany)
          .$asTuple('scope', 'subject'),
      ),
    )
    .execute();
}

function tooSoon(waitMs: number): PismakError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new PismakError('too-many-requests', sayRefusal('refused.sign-in-later', { seconds }), {
    details: { retryAfterSeconds: seconds },
  });
}
