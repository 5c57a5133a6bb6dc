import { z } from 'zod';
import type { Database } from '../../engine/database/database.ts';
import type { Engine } from '../../engine/engine.ts';
import { PismakError } from '../../engine/errors.ts';
import { newId } from '../../engine/identity.ts';
import { inScope } from '../../engine/operation/authorise.ts';
import { type Caller, type Role, roles } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';
import { hashToken, newToken } from './secret-token.ts';

export const keyPrefix = 'pk_';

/** The name of an operation, a noun with its dot (all its operations), or `*`. */
export const scope = z
  .string()
  .regex(
    /^(\*|[a-z-]+\.([a-z-]+)?)$/,
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

/** Creates a key. Its text is returned only here and stored nowhere. */
export async function createKey(
  { database, clock, changes }: Pick<Engine, 'database' | 'clock' | 'changes'>,
  key: { name: string; owner: string; role?: Role | undefined; scopes?: readonly string[] | undefined },
  by: Caller,
): Promise<{ id: string; key: string; role: Role; scopes: string[] }> {
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
  const id = newId(clock);
  const text = keyPrefix + newToken();
  const values = { id, hash: hashToken(text), name: key.name, owner: key.owner, role: wanted };
  await database.query
    .insertInto('apiKey')
    .values({ ...values, scopesJson: JSON.stringify(scopes), createdAt: clock.now(), uses: 0 })
    .execute();
  changes.add({ kind: 'key', entity: id, owner: key.owner });
  return { id, key: text, role: wanted, scopes };
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

/** The caller that a key stands for. Its role is the key's, but never above the owner's current role. */
export async function callerOfKey(
  database: Database,
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
