import type { Queries } from '../../engine/database/database.ts';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import type { Caller } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';
import { passwordMatches } from './password.ts';
import { hashToken, newToken } from './secret-token.ts';

const hour = 3_600_000;
/** An unused session ends after a week, and every session after thirty days. */
const idleMs = 7 * 24 * hour;
export const longestSessionMs = 30 * 24 * hour;

type Parts = Pick<Engine, 'database' | 'clock'>;

export interface NewSession {
  name: string;
  role: Caller['role'];
  token: string;
  expiresAt: number;
}

export async function signIn(
  { database, clock }: Parts,
  name: string,
  password: string,
): Promise<NewSession> {
  const account = await database.query
    .selectFrom('account')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst();
  const matches = await passwordMatches(password, account?.passwordHash);
  // The same answer for every reason: it must not reveal whether the name, the password or the account is at fault.
  if (!matches || !account || account.disabled !== 0) {
    throw new PismakError('not-signed-in', 'the name or the password is wrong, or the user is disabled');
  }
  const token = newToken();
  const createdAt = clock.now();
  const expiresAt = createdAt + idleMs;
  await database.transaction(async (transaction) => {
    await transaction.deleteFrom('session').where('expiresAt', '<=', createdAt).execute();
    const values = { tokenHash: hashToken(token), account: name, createdAt, expiresAt };
    await transaction.insertInto('session').values(values).execute();
  });
  return { name, role: role.parse(account.role), token, expiresAt };
}

/** The caller of a session, with the current rights of the account: disabling or demoting a user works at once. */
export async function callerOfSession(
  { database, clock }: Parts,
  tokenHash: string,
  address: string,
): Promise<Caller | undefined> {
  const row = await database.query
    .selectFrom('session')
    .innerJoin('account', 'account.name', 'session.account')
    .select(['account.name', 'account.role', 'session.createdAt', 'session.expiresAt'])
    .select('account.mayPrioritise')
    .where('session.tokenHash', '=', tokenHash)
    .where('account.disabled', '=', 0)
    .executeTakeFirst();
  const now = clock.now();
  if (!row || row.expiresAt <= now) return undefined;
  const extended = Math.min(now + idleMs, row.createdAt + longestSessionMs);
  // Written at most once an hour, not with every request.
  if (extended - row.expiresAt > hour) {
    const update = database.query.updateTable('session').set({ expiresAt: extended });
    await update.where('tokenHash', '=', tokenHash).execute();
  }
  const mayPrioritise = row.mayPrioritise !== 0;
  const credential = `session:${tokenHash}`;
  return { name: row.name, role: role.parse(row.role), mayPrioritise, address, credential };
}

export async function endSession(queries: Queries, tokenHash: string): Promise<void> {
  await queries.deleteFrom('session').where('tokenHash', '=', tokenHash).execute();
}

/** Ends the user's sessions, all of them or all but the one that the caller uses. */
export async function endSessions(queries: Queries, account: string, butOf?: Caller): Promise<void> {
  const keep = butOf && sessionHashOf(butOf);
  let query = queries.deleteFrom('session').where('account', '=', account);
  if (keep !== undefined) query = query.where('tokenHash', '!=', keep);
  await query.execute();
}

/** Hash of the caller's session; undefined for keys and the local command line. */
export function sessionHashOf(caller: Caller): string | undefined {
  return caller.credential?.startsWith('session:') ? caller.credential.slice('session:'.length) : undefined;
}
