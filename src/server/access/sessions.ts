import type { Engine } from '../../engine/composition/engine.ts';
import type { Queries } from '../../engine/database/database.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { role } from './accounts.ts';
import { hashToken, newToken } from './secret-token.ts';

const hour = 3_600_000;
/** An unused session ends after a week, and every session after thirty days. */
const idleMs = 7 * 24 * hour;
export const longestSessionMs = 30 * 24 * hour;
/** A user who signs in once more loses the oldest session. */
const mostSessions = 100;

type SessionStore = Pick<Engine, 'database' | 'clock'>;

export interface NewSession {
  name: string;
  role: Caller['role'];
  token: string;
  expiresAt: number;
}

export interface Session {
  id: string;
  user: string;
  /** The address from which the session was opened. */
  address: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
}

export async function openSession(
  { database, clock }: SessionStore,
  user: { name: string; role: Caller['role']; address: string },
): Promise<NewSession> {
  const token = newToken();
  const createdAt = clock.now();
  const expiresAt = createdAt + idleMs;
  const { name, address } = user;
  await database.transaction(async (transaction) => {
    await transaction.deleteFrom('session').where('expiresAt', '<=', createdAt).execute();
    const values = { tokenHash: hashToken(token), account: name, createdAt, expiresAt, address };
    await transaction.insertInto('session').values(values).execute();
    const tooMany = transaction
      .selectFrom('session')
      .select('tokenHash')
      .where('account', '=', name)
      .orderBy('createdAt', 'desc')
      // SQLite requires a limit with an offset.
      .limit(1_000_000)
      .offset(mostSessions);
    await transaction.deleteFrom('session').where('tokenHash', 'in', tooMany).execute();
  });
  return { name, role: user.role, token, expiresAt };
}

/** The caller of a session, with the current rights of the account: disabling or demoting a user works at once. */
export async function callerOfSession(
  { database, clock }: SessionStore,
  tokenHash: string,
  address: string,
): Promise<Caller | undefined> {
  const row = await database.query
    .selectFrom('session')
    .innerJoin('account', 'account.name', 'session.account')
    .select(['account.name', 'account.role', 'session.createdAt', 'session.expiresAt', 'session.lastUsedAt'])
    .select('account.mayPrioritise')
    .where('session.tokenHash', '=', tokenHash)
    .where('account.disabled', '=', 0)
    .executeTakeFirst();
  const now = clock.now();
  if (!row || row.expiresAt <= now) return undefined;
  // Write at most once an hour, not on every request.
  if (now - (row.lastUsedAt ?? row.createdAt) > hour) {
    const expiresAt = Math.min(now + idleMs, row.createdAt + longestSessionMs);
    const update = database.query.updateTable('session').set({ expiresAt, lastUsedAt: now });
    await update.where('tokenHash', '=', tokenHash).execute();
  }
  const mayPrioritise = row.mayPrioritise !== 0;
  const credential = `session:${tokenHash}`;
  return { name: row.name, role: role.parse(row.role), mayPrioritise, address, credential };
}

/** The open sessions, of one user or of all, newest first. */
export async function listSessions({ database, clock }: SessionStore, user?: string): Promise<Session[]> {
  let query = database.query
    .selectFrom('session')
    .selectAll()
    .where('expiresAt', '>', clock.now())
    .orderBy('createdAt', 'desc');
  if (user !== undefined) query = query.where('account', '=', user);
  return (await query.execute()).map(({ tokenHash, account, ...row }) => ({
    ...row,
    id: sessionId(tokenHash),
    user: account,
  }));
}

/** The beginning of the hash, from which nobody can derive the cookie. */
export function sessionId(tokenHash: string): string {
  return tokenHash.slice(0, 16);
}

/** The owner of the session; undefined if it does not exist. */
export async function sessionUser(queries: Queries, id: string): Promise<string | undefined> {
  return (await withId(queries, id))?.account;
}

/** Ends a session by its id. Returns its owner. */
export async function endSessionById(queries: Queries, id: string): Promise<string | undefined> {
  const row = await withId(queries, id);
  if (row) await endSession(queries, row.tokenHash);
  return row?.account;
}

async function withId(queries: Queries, id: string) {
  if (!/^[0-9a-f]{16}$/.test(id)) return undefined;
  const query = queries.selectFrom('session').select(['tokenHash', 'account']);
  // A range uses the index; all hashes that begin with the id lie in it.
  return query.where('tokenHash', '>=', id).where('tokenHash', '<', `${id}g`).executeTakeFirst();
}

export async function endSession(queries: Queries, tokenHash: string): Promise<void> {
  await queries.deleteFrom('session').where('tokenHash', '=', tokenHash).execute();
}

/** Ends the user's sessions, all of them or all but the one that the caller uses. Returns how many. */
export async function endSessions(queries: Queries, account: string, butOf?: Caller): Promise<number> {
  const keep = butOf && sessionHashOf(butOf);
  let query = queries.deleteFrom('session').where('account', '=', account);
  if (keep !== undefined) query = query.where('tokenHash', '!=', keep);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/** Hash of the caller's session; undefined for keys and the local command line. */
export function sessionHashOf(caller: Caller): string | undefined {
  return caller.credential?.startsWith('session:') ? caller.credential.slice('session:'.length) : undefined;
}
