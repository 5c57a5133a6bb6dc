import type { ConnectionOptions } from 'node:tls';
import { serverUrl } from '../../network/server-url.ts';

const url = serverUrl('PostgreSQL');

/** The address of PostgreSQL, and the credentials. Contains the password: never log it. */
export interface PostgresAddress {
  hosts: readonly PostgresHost[];
  user: string;
  password: string;
  database: string;
  applicationName: string;
  tls: ConnectionOptions | false;
}

export interface PostgresHost {
  host: string;
  port: number;
}

/** Supported URL parameters, named as in libpq. We always look for the primary, so `target_session_attrs` is only checked. */
const parameters = [
  'target_session_attrs',
  'application_name',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
];
const writable = ['any', 'read-write', 'primary'];

/**
 * Reads `postgres://user:password@host1:5432,host2:5432/database?sslmode=verify-full&sslrootcert=/path/ca.pem`. Errors
 * never show the URL, because it contains the password.
 */
export async function readAddress(text: string): Promise<PostgresAddress> {
  const match = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/.exec(
    text,
  );
  if (!match) throw url.invalid('must look like postgres://user:password@host:port/database');
  const [, user = '', password = '', hosts = '', database = '', query = ''] = match;
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !parameters.includes(name));
  if (unknown) throw url.invalid(`has an unknown parameter "${unknown}"; use ${parameters.join(', ')}`);
  if (!writable.includes(given.get('target_session_attrs') ?? 'any')) {
    throw url.invalid(`has an unsupported target_session_attrs; use ${writable.join(', ')}`);
  }
  return {
    hosts: hosts.split(',').map((host) => url.host(host, 5432)),
    user: url.decode(user) || 'postgres',
    password: url.decode(password),
    database: url.decode(database),
    applicationName: given.get('application_name') ?? 'pismak',
    tls: await tlsOptions(given),
  };
}

const fileParameters = { sslrootcert: 'ca', sslcert: 'cert', sslkey: 'key' };

/** `sslmode` means the same as in libpq: `require` encrypts but trusts any server, unless an authority is named. */
async function tlsOptions(given: URLSearchParams): Promise<ConnectionOptions | false> {
  const authority = given.get('sslrootcert');
  const mode = given.get('sslmode') ?? (authority ? 'verify-full' : 'disable');
  if (mode === 'disable') return false;
  if (!['require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw url.invalid('has an unknown sslmode; use disable, require, verify-ca or verify-full');
  }
  const anybody = mode === 'require' && !authority;
  const options: ConnectionOptions = { rejectUnauthorized: !anybody };
  for (const [parameter, option] of Object.entries(fileParameters)) {
    const file = given.get(parameter);
    if (file) Object.assign(options, { [option]: await url.pem(parameter, file) });
  }
  // Only verify-full checks the name.
  return mode === 'verify-full' ? options : { ...options, checkServerIdentity: () => undefined };
}
