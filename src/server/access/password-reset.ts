import type { Engine } from '../../engine/composition/engine.ts';
import type { Queries } from '../../engine/database/database.ts';
import type { Role } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { accountExists, changeAccount, role, unknownUser } from './accounts.ts';
import { endKeys } from './keys.ts';
import { hashPassword } from './password.ts';
import { hashToken, newToken, tokenMatches } from './secret-token.ts';
import { endSessions } from './sessions.ts';

const validMs = 24 * 3_600_000;
const secretName = (account: string) => `password-reset ${account}`;

/** A one-time token with which the user chooses a new password. It replaces the last one; only its hash is stored. */
export async function newResetToken(
  { database, clock }: Pick<Engine, 'database' | 'clock'>,
  name: string,
): Promise<{ token: string; expiresAt: number }> {
  const token = newToken();
  const values = { value: hashToken(token), createdAt: clock.now() };
  await database.transaction(async (transaction) => {
    if (!(await accountExists(transaction, name))) throw unknownUser(name);
    await transaction
      .insertInto('secret')
      .values({ name: secretName(name), ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
  });
  return { token, expiresAt: values.createdAt + validMs };
}

/** Sets the password and ends all sessions. Each token works once. Returns the role of the user. */
export async function useResetToken(
  engine: Pick<Engine, 'database' | 'clock' | 'changes'>,
  { name, token, password, keepKeys }: { name: string; token: string; password: string; keepKeys: boolean },
): Promise<Role> {
  const { database, clock } = engine;
  const secret = await database.query
    .selectFrom('secret')
    .select(['value', 'createdAt'])
    .where('name', '=', secretName(name))
    .executeTakeFirst();
  if (!secret || !tokenMatches(token, secret.value) || clock.now() >= secret.createdAt + validMs)
    throw notValid();
  const passwordHash = await hashPassword(password);
  let is: Role = 'reader';
  await changeAccount(engine, name, async (transaction) => {
    // If somebody uses the same link at the same moment, only the one who deletes the row continues.
    if (!(await deleteResetToken(transaction, name, secret.value))) throw notValid();
    const account = await transaction
      .selectFrom('account')
      .select(['role', 'disabled'])
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    if (account.disabled !== 0) throw notValid();
    is = role.parse(account.role);
    await transaction.updateTable('account').set({ passwordHash }).where('name', '=', name).execute();
    await endSessions(transaction, name);
    if (!keepKeys) await endKeys(transaction, name, clock.now());
  });
  return is;
}

/** When the password has changed otherwise, or the account goes. False if there was none, or another one. */
export async function deleteResetToken(queries: Queries, name: string, value?: string): Promise<boolean> {
  let query = queries.deleteFrom('secret').where('name', '=', secretName(name));
  if (value !== undefined) query = query.where('value', '=', value);
  return Number((await query.executeTakeFirst()).numDeletedRows) > 0;
}

function notValid(): PismakError {
  return new PismakError(
    'forbidden',
    'this link is not valid, or no longer; ask an administrator for a new one',
  );
}
