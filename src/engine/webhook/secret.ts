import { randomBytes } from 'node:crypto';
import type { Database, Queries } from '../database/database.ts';
import { hasCode, PismakError } from '../ground/errors.ts';
import { newId } from '../ground/identity.ts';
import type { Clock } from '../time/clock.ts';

/** The owner whose secret signs alerts, and work submitted with the command line of the machine itself. */
export const installationOwner = 'local';

type SecretStore = { database: Database; clock: Clock };

/** The public part of a secret. Its text is shown once, by the operation that creates it. */
export interface WebhookSecret {
  id: string;
  owner: string;
  createdAt: number;
  /** When it stops signing; null for the current one. */
  endsAt: number | null;
}

/** The secrets that sign the owner's webhooks now, the current one first. */
export async function signingSecrets({ database, clock }: SecretStore, owner: string): Promise<string[]> {
  const rows = await database.query
    .selectFrom('webhookSecret')
    .select(['value', 'endsAt'])
    .where('owner', '=', owner)
    .where(({ eb, or }) => or([eb('endsAt', 'is', null), eb('endsAt', '>', clock.now())]))
    .orderBy('id', 'desc')
    .execute();
  return rows
    .toSorted((a, b) => Number(b.endsAt === null) - Number(a.endsAt === null))
    .map((row) => row.value);
}

export async function listSecrets(
  { database, clock }: SecretStore,
  owner?: string,
): Promise<WebhookSecret[]> {
  let query = database.query
    .selectFrom('webhookSecret')
    .select(['id', 'owner', 'createdAt', 'endsAt'])
    .where(({ eb, or }) => or([eb('endsAt', 'is', null), eb('endsAt', '>', clock.now())]));
  if (owner !== undefined) query = query.where('owner', '=', owner);
  return query.orderBy('owner').orderBy('id', 'desc').execute();
}

/** Creates the owner's first secret. Its text is returned only here. */
export async function createSecret(
  parts: SecretStore,
  owner: string,
): Promise<WebhookSecret & { secret: string }> {
  try {
    return await insert(parts.database.query, parts.clock, owner);
  } catch (error) {
    if (!hasCode(error, 'constraint-violated')) throw error;
    throw new PismakError(
      'already-exists',
      `${owner} has a webhook secret already, and it can't be shown again; replace it with \`pismak webhook secret rotate\``,
      { cause: error },
    );
  }
}

/** Creates a new secret. The previous one also signs for `overlapMs`, so that receivers can switch meanwhile. */
export async function rotateSecret(
  { database, clock }: SecretStore,
  owner: string,
  overlapMs: number,
): Promise<WebhookSecret & { secret: string; previousEndsAt: number }> {
  const previousEndsAt = clock.now() + overlapMs;
  return database.transaction(async (transaction) => {
    // At most two sign at a time.
    await transaction
      .deleteFrom('webhookSecret')
      .where('owner', '=', owner)
      .where('endsAt', 'is not', null)
      .execute();
    const ended = await transaction
      .updateTable('webhookSecret')
      .set({ endsAt: previousEndsAt })
      .where('owner', '=', owner)
      .where('endsAt', 'is', null)
      .executeTakeFirst();
    if (Number(ended.numUpdatedRows) === 0) throw noSecret(owner);
    return { ...(await insert(transaction, clock, owner)), previousEndsAt };
  });
}

/** Deletes all secrets of the owner, whose webhooks are then unsigned. Returns how many there were. */
export async function deleteSecrets(queries: Queries, owner: string): Promise<number> {
  const deleted = await queries.deleteFrom('webhookSecret').where('owner', '=', owner).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}

export function noSecret(owner: string): PismakError {
  return new PismakError(
    'not-found',
    `${owner} has no webhook secret; make one with \`pismak webhook secret create\``,
  );
}

async function insert(queries: Queries, clock: Clock, owner: string) {
  const row = { id: newId(clock), owner, createdAt: clock.now(), endsAt: null };
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await queries
    .insertInto('webhookSecret')
    .values({ ...row, value: secret })
    .execute();
  return { ...row, secret };
}
