import { sayAlert } from '../../alert/sentences.ts';
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
        reason: sayAlert('account.attacked', { account, failures }),
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
        reason: sayAlert('address.attacking', { address, failures }),
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
  const count = rows.length === 100 ? '100 or more' : String(rows.length);
  const most = rows.slice(0, mostAlerts).map((row) => row.shown ?? '');
  const code = scope === 'account' ? 'account.attacked-many' : 'address.attacking-many';
  const reason = sayAlert(code, { count, most });
  return [{ entity: '(many)', reason, details: { count: rows.length, most } }];
}
