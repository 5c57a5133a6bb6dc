import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';
import { messageOf, PismakError } from '../../errors.ts';

/** Where PostgreSQL is and how to get in. Holds the password: never log it. */
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

/** What URLs may say, in libpq's words. We always look for the node that takes writes, so `target_session_attrs` is only checked. */
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
 * Reads `postgres://user:password@host1:5432,host2:5432/database?sslmode=verify-full&sslrootcert=/path/ca.pem`. Messages
 * never show the URL: it holds the password.
 */
export async function parsePostgresUrl(url: string): Promise<PostgresAddress> {
  const match = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?#]+)\/([^/?#]+)(?:\?([^#]*))?$/.exec(
    url,
  );
  if (!match) throw invalid('must be postgres://user:password@host:port/database');
  const [, user = '', password = '', hosts = '', database = '', query = ''] = match;
  const given = new URLSearchParams(query);
  const unknown = [...given.keys()].find((name) => !parameters.includes(name));
  if (unknown) throw invalid(`has an unknown parameter "${unknown}"; there are ${parameters.join(', ')}`);
  if (!writable.includes(given.get('target_session_attrs') ?? 'any')) {
    throw invalid(`cannot ask for that target_session_attrs; there are ${writable.join(', ')}`);
  }
  return {
    hosts: hosts.split(',').map(parseHost),
    user: decode(user) || 'postgres',
    password: decode(password),
    database: decode(database),
    applicationName: given.get('application_name') ?? 'pismak',
    tls: await tlsOptions(given),
  };
}

function parseHost(text: string): PostgresHost {
  const [, inBrackets, plain, port = '5432'] =
    /^(?:\[([^\]]+)\]|([^:@[\]]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = decode(inBrackets ?? plain ?? '');
  if (host === '' || Number(port) < 1 || Number(port) > 65_535) {
    throw invalid('has a host that is no host:port; several are separated by commas');
  }
  return { host, port: Number(port) };
}

/** The meaning of `sslmode` is libpq's: `require` encrypts but trusts anybody, unless an authority is named. */
async function tlsOptions(given: URLSearchParams): Promise<ConnectionOptions | false> {
  const authority = given.get('sslrootcert');
  const mode = given.get('sslmode') ?? (authority ? 'verify-full' : 'disable');
  if (mode === 'disable') return false;
  if (!['require', 'verify-ca', 'verify-full'].includes(mode)) {
    throw invalid('has an unknown sslmode; there are disable, require, verify-ca, verify-full');
  }
  const anybody = mode === 'require' && !authority;
  const files = { ca: authority, cert: given.get('sslcert'), key: given.get('sslkey') };
  const options: ConnectionOptions = { rejectUnauthorized: !anybody };
  for (const [name, path] of Object.entries(files)) {
    if (path) Object.assign(options, { [name]: await readPem(path) });
  }
  // Only the full check is about the name.
  return mode === 'verify-full' ? options : { ...options, checkServerIdentity: () => undefined };
}

async function readPem(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw invalid(`names a certificate or key that cannot be read: ${messageOf(error)}`);
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('has a % that is not followed by two hexadecimal digits; write it as %25');
  }
}

function invalid(what: string): PismakError {
  return new PismakError('configuration-invalid', `The URL of PostgreSQL ${what}`);
}
