import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Database, Queries } from '../../engine/database/database.ts';
import { type Caller, type Role, roles } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import { inScope } from '../../engine/operation/authorise.ts';
import { role } from './accounts.ts';
import { hashToken, newToken } from './secret-token.ts';

export const keyPrefix = 'pk_';

/** The name of an operation, a noun with its dot (all its operations), or `*`. */
export const scope = z
  .string()
  .regex(
    /^(\*|[a-z-]+\.([A-Za-z0-9-]+\.)*([A-Za-z0-9-]+)?)$/,
    'a scope is an operation like stage.ls, a noun with its dot like stage., or *',
  );

export interface ApiKey {
  id: string;
  name: string;
  owner: string;
  role: Role;
  scopes: string[];
  createdAt: number;
  lastUsedAt: number | null;
  uses: number;
  revokedAt: number | null;
  expiresAt: number | null;
}

export async function listKeys(database: Database, owner?: string): Promise<ApiKey[]> {
  let query = database.query.selectFrom('apiKey').selectAll().orderBy('id');
  if (owner !== undefined) query = query.where('owner', '=', owner);
  return (await query.execute()).map(({ hash: _, scopesJson, ...row }) => ({
    ...row,
    role: role.parse(row.role),
    scopes: JSON.parse(scopesJson),
  }));
}

/** Creates a key. Returns its text, which is stored nowhere. */
export async function createKey(
  { database, clock, changes, settings }: Pick<Engine, 'database' | 'clock' | 'changes' | 'settings'>,
  key: {
    name: string;
    owner: string;
    role?: Role | undefined;
    scopes?: readonly string[] | undefined;
    expiresInMs?: number | undefined;
  },
  by: Caller,
): Promise<{ id: string; key: string; role: Role; scopes: string[]; expiresAt: number | null }> {
  const account = await database.query
    .selectFrom('account')
    .select('role')
    .where('name', '=', key.owner)
    .where('disabled', '=', 0)
    .executeTakeFirst();
  if (!account) {
    throw new PismakError(
      'not-found',
      `a key needs an enabled user as its owner, and there is no enabled user ${key.owner}; name another owner`,
    );
  }
  const most = lower(role.parse(account.role), by.role);
  const wanted = key.role ?? most;
  if (lower(wanted, most) !== wanted) {
    throw new PismakError(
      'forbidden',
      `the key can have at most the role ${most}, the lower of its owner's and yours`,
    );
  }
  const scopes = [...(key.scopes ?? by.scopes ?? ['*'])];
  const beyond = scopes.find((one) => !inScope(one, by.scopes));
  if (beyond !== undefined) {
    throw new PismakError(
      'forbidden',
      `your own key does not cover the scope ${beyond}, so a new key can't have it`,
    );
  }
  const now = clock.now();
  const expiresAt = notAfter(
    key.expiresInMs === undefined ? null : now + key.expiresInMs,
    await expiryOf(database.query, by),
  );
  const id = newId(clock);
  const text = keyPrefix + newToken();
  const values = { id, hash: hashToken(text), name: key.name, owner: key.owner, role: wanted, expiresAt };
  await database.transaction(async (transaction) => {
    await makeRoom(transaction, key.owner, now, settings.access.keysPerUser);
    await transaction
      .insertInto('apiKey')
      .values({ ...values, scopesJson: JSON.stringify(scopes), createdAt: now, uses: 0 })
      .execute();
  });
  changes.add({ kind: 'key', entity: id, owner: key.owner });
  return { id, key: text, role: wanted, scopes, expiresAt };
}

/** How many ended keys stay in the list. */
const endedKept = 50;

/** Refuses a key beyond the limit, and deletes the oldest ended keys. */
async function makeRoom(transaction: Queries, owner: string, now: number, limit: number): Promise<void> {
  // Lock the account, so that two simultaneous creations wait for each other in every dialect.
  await transaction
    .updateTable('account')
    .set((eb) => ({ role: eb.ref('role') }))
    .where('name', '=', owner)
    .execute();
  const keys = await transaction
    .selectFrom('apiKey')
    .select(['id', 'revokedAt', 'expiresAt'])
    .where('owner', '=', owner)
    .orderBy('id', 'desc')
    .execute();
  const hasEnded = (key: { revokedAt: number | null; expiresAt: number | null }) =>
    key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now);
  const used = keys.filter((key) => !hasEnded(key)).length;
  if (used >= limit) {
    throw new PismakError(
      'quota-exceeded',
      `${owner} has ${used} keys and the limit is ${limit} (setting access.keysPerUser); revoke one first`,
      { details: { limit, used } },
    );
  }
  const old = keys
    .filter(hasEnded)
    .slice(endedKept)
    .map(({ id }) => id);
  for (const id of old) await transaction.deleteFrom('apiKey').where('id', '=', id).execute();
}

/** When the caller's own key ends; null if it never ends, or if the caller uses no key. */
async function expiryOf(queries: Queries, { credential }: Caller): Promise<number | null> {
  if (!credential?.startsWith('key:')) return null;
  const query = queries.selectFrom('apiKey').select('expiresAt');
  return (
    (await query.where('id', '=', credential.slice('key:'.length)).executeTakeFirst())?.expiresAt ?? null
  );
}

/** A key can't outlive the key that creates it. */
function notAfter(wanted: number | null, own: number | null): number | null {
  if (own === null || wanted === null) return wanted ?? own;
  if (wanted <= own) return wanted;
  throw new PismakError('forbidden', 'the new key would outlive your own key; choose a shorter validity');
}

/** Ends the owner's keys, all of them or all but the one that the caller uses. Returns how many. */
export async function endKeys(queries: Queries, owner: string, at: number, butOf?: Caller): Promise<number> {
  const update = queries
    .updateTable('apiKey')
    .set({ revokedAt: at })
    .where('owner', '=', owner)
    .where('revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', at)]));
  const keep = butOf?.credential?.startsWith('key:') ? butOf.credential.slice('key:'.length) : undefined;
  const ended = keep === undefined ? update : update.where('id', '!=', keep);
  return Number((await ended.executeTakeFirst()).numUpdatedRows);
}

export async function keyOwner(database: Database, id: string): Promise<string | undefined> {
  const query = database.query.selectFrom('apiKey').select('owner').where('id', '=', id);
  return (await query.executeTakeFirst())?.owner;
}

export async function revokeKey(
  { database, clock, changes }: Pick<Engine, 'database' | 'clock' | 'changes'>,
  id: string,
): Promise<void> {
  const owner = await keyOwner(database, id);
  if (owner === undefined)
    throw new PismakError('not-found', `there is no key ${id}; \`pismak key ls\` lists them`);
  const update = database.query.updateTable('apiKey').set({ revokedAt: clock.now() });
  await update.where('id', '=', id).where('revokedAt', 'is', null).execute();
  changes.add({ kind: 'key', entity: id, owner });
}

/** The caller that a key identifies, with the role of the key, but never above the owner's current role. */
export async function callerOfKey(
  { database, clock }: Pick<Engine, 'database' | 'clock'>,
  text: string,
  address: string,
): Promise<Caller | undefined> {
  const row = await database.query
    .selectFrom('apiKey')
    .innerJoin('account', 'account.name', 'apiKey.owner')
    .select(['apiKey.id', 'apiKey.role', 'apiKey.scopesJson', 'account.name', 'account.role as most'])
    .select('account.mayPrioritise')
    .where('apiKey.hash', '=', hashToken(text))
    .where('apiKey.revokedAt', 'is', null)
    .where(({ eb, or }) => or([eb('apiKey.expiresAt', 'is', null), eb('apiKey.expiresAt', '>', clock.now())]))
    .where('account.disabled', '=', 0)
    .executeTakeFirst();
  if (!row) return undefined;
  return {
    name: row.name,
    role: lower(role.parse(row.role), role.parse(row.most)),
    scopes: JSON.parse(row.scopesJson),
    mayPrioritise: row.mayPrioritise !== 0,
    address,
    credential: `key:${row.id}`,
  };
}

function lower(one: Role, other: Role): Role {
  return roles.indexOf(one) < roles.indexOf(other) ? one : other;
}
