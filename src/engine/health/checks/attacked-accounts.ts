import type { Database } from '../../database/database.ts';
import type { Clock } from '../../time/clock.ts';
import type { Check, Finding } from './check.ts';

/** An attack is over when no sign-in has failed for this long. */
const quietMs = 15 * 60_000;
/** More failures in an hour than a forgetful user, or a few in one office, produce. */
const enough = { account: 20, address: 30 };
/** Beyond this number there is one alert for all of them: each alert may be a message to somebody. */
const mostAlerts = 10;

type SignInRecords = { database: Database; clock: Clock };

/** Accounts whose passwords somebody is guessing. */
export function attackedAccounts(parts: SignInRecords): Check {
  return {
    kind: 'account.attacked',
    look: () =>
      findAttacks(parts, 'account', (account, failures) => ({
        entity: account,
        reason: `${failures} recent failed sign-ins as ${account}; \`pismak audit ls --owner ${account}\` shows where from`,
        details: { account, failures },
      })),
  };
}

/** Addresses that are guessing passwords. */
export function attackingAddresses(parts: SignInRecords): Check {
  return {
    kind: 'address.attacking',
    look: () =>
      findAttacks(parts, 'address', (address, failures) => ({
        entity: address,
        reason: `${failures} recent failed sign-ins from ${address}; block the address in front of Pismak if it goes on`,
        details: { address, failures },
      })),
  };
}

async function findAttacks(
  { database, clock }: SignInRecords,
  scope: 'account' | 'address',
  describe: (shown: string, failures: number) => Finding,
): Promise<Finding[]> {
  const rows = await database.query
    .selectFrom('signInFailure')
    .select(['shown', 'failures'])
    .where('scope', '=', scope)
    .where('failures', '>=', enough[scope])
    .where('lastAt', '>', clock.now() - quietMs)
    .where('shown', 'is not', null)
    .orderBy('failures', 'desc')
    .limit(100)
    .execute();
  if (rows.length <= mostAlerts) return rows.map((row) => describe(row.shown ?? '', row.failures));
  const count = rows.length === 100 ? '100 or more' : rows.length;
  const most = rows.slice(0, mostAlerts).map((row) => row.shown);
  const what = scope === 'account' ? 'accounts have' : 'addresses caused';
  const reason = `${count} ${what} many recent failed sign-ins, most of all ${most.join(', ')}; \`pismak audit ls --operation session.login\` shows more`;
  return [{ entity: '(many)', reason, details: { count: rows.length, most } }];
}
