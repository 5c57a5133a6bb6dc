import type { Engine } from '../../engine/composition/engine.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { createAccount, noAccountsYet } from './accounts.ts';
import { hashToken, newToken, tokenMatches } from './secret-token.ts';

const secretName = 'setup-token';
const validMs = 24 * 3_600_000;

/** A new one-time token, which replaces the last one; undefined once an account exists. Only the hash is stored. */
export async function newSetupToken(engine: Pick<Engine, 'database' | 'clock'>): Promise<string | undefined> {
  const token = newToken();
  const values = { value: hashToken(token), createdAt: engine.clock.now() };
  return engine.database.transaction(async (transaction) => {
    if (!(await noAccountsYet(transaction))) return undefined;
    await transaction
      .insertInto('secret')
      .values({ name: secretName, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute();
    return token;
  });
}

/** Whether the first administrator is still to be created. */
export async function setupIsOpen(engine: Pick<Engine, 'database'>): Promise<boolean> {
  return noAccountsYet(engine.database.query);
}

/** Creates the first administrator. Each token works once. */
export async function claimSetup(
  engine: Pick<Engine, 'database' | 'clock' | 'changes'>,
  claim: { token: string; name: string; password: string },
): Promise<void> {
  if (!(await setupIsOpen(engine))) throw usedUp();
  const secret = await engine.database.query
    .selectFrom('secret')
    .selectAll()
    .where('name', '=', secretName)
    .executeTakeFirst();
  const valid =
    secret && tokenMatches(claim.token, secret.value) && engine.clock.now() < secret.createdAt + validMs;
  if (!valid) {
    throw new PismakError('forbidden', 'this link is not valid; each start of pismak prints a new one');
  }
  const { name, password } = claim;
  await createAccount(engine, { name, password, role: 'admin' }, async (transaction) => {
    // If two claims use the same token, only the one that deletes the row continues.
    const used = await transaction
      .deleteFrom('secret')
      .where('name', '=', secretName)
      .where('value', '=', secret.value)
      .executeTakeFirst();
    if (Number(used.numDeletedRows) === 0) throw usedUp();
  });
}

function usedUp(): PismakError {
  return new PismakError(
    'conflict',
    'an administrator already exists, so this link is no longer valid; sign in instead',
  );
}
