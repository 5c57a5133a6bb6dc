import { randomBytes } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { Clock } from '../time/clock.ts';

const name = 'webhook';

/** The secret that signs the webhooks of this installation: created at first use, then always the same. */
export async function webhookSecret(parts: { database: Database; clock: Clock }): Promise<string> {
  const { database, clock } = parts;
  const read = () =>
    database.query.selectFrom('secret').select('value').where('name', '=', name).executeTakeFirst();
  const known = await read();
  if (known) return known.value;
  // If two processes come at once, the first one decides.
  await database.query
    .insertInto('secret')
    .values({ name, value: randomBytes(32).toString('base64url'), createdAt: clock.now() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await read())?.value ?? webhookSecret(parts);
}
