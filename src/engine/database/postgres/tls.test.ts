import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { inspect } from 'node:util';
import { sql } from 'kysely';
import { hasCode } from '../../ground/errors.ts';
import { createCertificates } from '../../testing/servers/certificates.ts';
import { startPostgres } from '../../testing/servers/postgres.ts';
import { temporaryDirectory } from '../../testing/temporary-directory.ts';
import { openPostgresDatabase } from '../postgres.ts';

const server = await startPostgres({ tls: true });
after(() => server.close());

const withParameters = (parameters: Record<string, string>) =>
  `${server.url.split('?')[0]}?${new URLSearchParams(parameters)}`;

async function isEncrypted(url: string): Promise<boolean | undefined> {
  const database = await openPostgresDatabase({ url });
  try {
    const { rows } = await sql<{
      ssl: boolean;
    }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`.execute(database.query);
    return rows[0]?.ssl;
  } finally {
    await database.close();
  }
}

test('with TLS everything is encrypted', async () => {
  assert.equal(await isEncrypted(server.url), true);
  assert.equal(await isEncrypted(withParameters({ sslmode: 'require' })), true);
});

test('a server with another authority, without a certificate, or without encryption is refused', async (context) => {
  const directory = join(await temporaryDirectory(context), 'other');
  const { authority } = await createCertificates(directory);
  const password = /:([^:@]*)@/.exec(server.url)?.[1] ?? '';
  for (const [parameters, code] of [
    [{ sslmode: 'verify-full', sslrootcert: authority }, 'unavailable'],
    [{ sslmode: 'verify-ca', sslrootcert: authority }, 'unavailable'],
    [{ sslmode: 'require', sslrootcert: authority }, 'unavailable'],
    [{ sslmode: 'verify-full' }, 'unavailable'],
    [{ sslmode: 'disable' }, 'configuration-invalid'],
  ] as const) {
    await assert.rejects(isEncrypted(withParameters(parameters)), (error) => {
      assert.ok(hasCode(error, code), `${inspect(parameters)}: ${inspect(error)}`);
      assert.ok(!inspect(error, { depth: 9 }).includes(decodeURIComponent(password)));
      return true;
    });
  }
});

test('verify-full refuses a certificate for another name, verify-ca accepts it', async () => {
  const authority = server.certificates?.authority ?? '';
  const elsewhere = (sslmode: string) =>
    withParameters({ sslmode, sslrootcert: authority }).replace('127.0.0.1', '[::ffff:127.0.0.1]');
  await assert.rejects(isEncrypted(elsewhere('verify-full')), (error) => hasCode(error, 'unavailable'));
  assert.equal(await isEncrypted(elsewhere('verify-ca')), true);
});
