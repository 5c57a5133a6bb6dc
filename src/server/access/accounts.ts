import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Database, Queries } from '../../engine/database/database.ts';
import { checkBase } from '../../engine/ground/base-version.ts';
import { type Role, roles } from '../../engine/ground/caller.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { sayRefusal } from '../../engine/ground/refusals.ts';
import { hashPassword } from './password.ts';

/** Names under which the engine acts. An account with such a name would own the engine's data. */
const reserved = new Set(['local', 'system', 'pismak', 'nobody']);

export const accountName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._@-]{0,63}$/,
    'a user name is 1 to 64 lower-case letters, digits, dots, dashes, underscores or @, and begins with a letter or digit',
  )
  .refine((name) => !reserved.has(name), 'this name is reserved; choose another');

export const role = z.enum(roles);

export interface Account {
  name: string;
  role: Role;
  disabled: boolean;
  mayPrioritise: boolean;
  createdAt: number;
  /** Grows when an administrator changes role, right or state. */
  version: number;
  changedAt: number | null;
  changedBy: string | null;
}

type AccountStore = Pick<Engine, 'database' | 'clock' | 'changes'>;

export async function listAccounts(database: Database): Promise<Account[]> {
  const rows = await database.query
    .selectFrom('account')
    .select(['name', 'role', 'disabled', 'mayPrioritise', 'createdAt', 'version', 'changedAt', 'changedBy'])
    .orderBy('name')
    .execute();
  return rows.map((row) => ({
    ...row,
    role: role.parse(row.role),
    disabled: row.disabled !== 0,
    mayPrioritise: row.mayPrioritise !== 0,
  }));
}

export async function noAccountsYet(queries: Queries): Promise<boolean> {
  return (await queries.selectFrom('account').select('name').limit(1).executeTakeFirst()) === undefined;
}

export async function accountExists(queries: Queries, name: string): Promise<boolean> {
  return (
    (await queries.selectFrom('account').select('name').where('name', '=', name).executeTakeFirst()) !==
    undefined
  );
}

export async function createAccount(
  { database, clock, changes }: AccountStore,
  account: { name: string; password: string; role: Role; takeOver?: boolean },
  alsoDo: (transaction: Queries) => Promise<void> = async () => {},
): Promise<void> {
  const { name, role } = account;
  const passwordHash = await hashPassword(account.password);
  try {
    await database.transaction(async (transaction) => {
      await alsoDo(transaction);
      await checkName(transaction, name, account.takeOver ?? false);
      const values = { name, passwordHash, role, disabled: 0, createdAt: clock.now() };
      await transaction.insertInto('account').values(values).execute();
    });
  } catch (error) {
    if (!hasCode(error, 'constraint-violated')) throw error;
    throw new PismakError('already-exists', sayRefusal('taken.user', { user: name }), { cause: error });
  }
  changes.add({ kind: 'user', entity: name, owner: name });
}

/**
 * Documents, queues, blobs and queued work carry the name of their owner and outlive the account. So a used name is not
 * assigned again, unless the administrator hands the remaining data to the new user.
 */
async function checkName(transaction: Queries, name: string, takeOver: boolean): Promise<void> {
  const retired = transaction.selectFrom('retiredName').select('name').where('name', '=', name);
  if (!(await retired.executeTakeFirst())) return;
  if (!takeOver) {
    throw new PismakError(
      'conflict',
      `${name} was the name of a deleted user, whose data may still exist; choose another name, or give the data to the new user with takeOver (--take-over)`,
    );
  }
  await transaction.deleteFrom('retiredName').where('name', '=', name).execute();
}

/** Deletes the account and everything that only this account uses. Retires the name. */
export async function deleteAccount(
  parts: AccountStore,
  name: string,
  by: string,
  alsoDo: (transaction: Queries) => Promise<void>,
): Promise<void> {
  await changeAccount(parts, name, async (transaction) => {
    await alsoDo(transaction);
    await transaction.deleteFrom('account').where('name', '=', name).execute();
    const values = { retiredAt: parts.clock.now(), retiredBy: by };
    await transaction
      .insertInto('retiredName')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
  });
}

/** Changes or deletes an account, unless no enabled administrator would be left. */
export async function changeAccount(
  { database, changes }: AccountStore,
  name: string,
  change: (transaction: Queries) => Promise<void>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    // Lock the rows of all administrators, so that two such changes wait for each other in every dialect.
    await transaction
      .updateTable('account')
      .set((eb) => ({ role: eb.ref('role') }))
      .where('role', '=', 'admin')
      .execute();
    if (!(await accountExists(transaction, name))) throw unknownUser(name);
    const before = await anyEnabledAdmin(transaction);
    await change(transaction);
    if (before && !(await anyEnabledAdmin(transaction))) {
      throw new PismakError('conflict', sayRefusal('conflict.last-administrator', { user: name }));
    }
  });
  changes.add({ kind: 'user', entity: name, owner: name });
}

/**
 * What administrators set: a new version of the account. With `base`, only if that is still the version; without, the last change wins.
 */
export async function setAccount(
  parts: AccountStore,
  name: string,
  { by, base }: { by: string; base: number | undefined },
  set: { role?: Role; mayPrioritise?: number; disabled?: number },
  alsoDo: (transaction: Queries) => Promise<unknown> = async () => {},
): Promise<number> {
  let next = 1;
  await changeAccount(parts, name, async (transaction) => {
    // Locks the row, so that two changes from the same version wait for each other in every dialect.
    await transaction
      .updateTable('account')
      .set((eb) => ({ version: eb.ref('version') }))
      .where('name', '=', name)
      .execute();
    const row = await transaction
      .selectFrom('account')
      .select(['version', 'changedBy', 'changedAt'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    checkBase(`user ${name}`, base, row);
    next = row.version + 1;
    await transaction
      .updateTable('account')
      .set({ ...set, version: next, changedAt: parts.clock.now(), changedBy: by })
      .where('name', '=', name)
      .execute();
    await alsoDo(transaction);
  });
  return next;
}

export function unknownUser(name: string): PismakError {
  return new PismakError('not-found', sayRefusal('unknown.user', { user: name }));
}

async function anyEnabledAdmin(queries: Queries): Promise<boolean> {
  const query = queries
    .selectFrom('account')
    .select('name')
    .where('role', '=', 'admin')
    .where('disabled', '=', 0);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}
