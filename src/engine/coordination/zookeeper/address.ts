import type { SecureContextOptions } from 'node:tls';
import { messageOf } from '../../ground/errors.ts';
import { serverUrl } from '../../network/server-url.ts';
import { checkPath } from '../path.ts';

const url = serverUrl('ZooKeeper');

/** Where the ensemble is, and our credentials. */
export interface EnsembleAddress {
  servers: { host: string; port: number }[];
  /** The path above all our nodes. */
  root: string;
  /** `user:password`. */
  credentials: string | undefined;
  /** Authenticate by SASL from the start. Else only when the servers demand it. */
  sasl: boolean;
  tls: SecureContextOptions | undefined;
}

/** Reads the URL. Errors never repeat it: it may hold a password. */
export async function readAddress(text: string): Promise<EnsembleAddress> {
  const match = /^zookeeper(s?):\/\/(?:([^@/?]*)@)?([^@/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(text);
  if (!match) throw url.invalid('must look like zookeeper://[user:password@]host:2181,host:2181[/path]');
  const [, secure, user, hosts = '', path = '/', query] = match;
  // What looks like a host may be the start of a password.
  if (path.includes('@')) throw url.invalid('has / or @ in its password; write them as %2F and %40');
  const parameters = new URLSearchParams(query);
  const root = url.decode(path.replace(/(?<!\/)\/+$/, '')) || '/pismak';
  try {
    checkPath(root);
  } catch (error) {
    throw url.invalid(`has a path that cannot be used: ${messageOf(error)}`);
  }
  return {
    servers: hosts.split(',').map((host) => url.host(host, secure ? 2281 : 2181)),
    root,
    credentials: user === undefined ? undefined : parseUser(user),
    sasl: readSasl(parameters, user !== undefined),
    tls: await readTls(secure !== '', parameters),
  };
}

/** Takes the parameter out. */
function readSasl(parameters: URLSearchParams, hasUser: boolean): boolean {
  const sasl = parameters.get('sasl') ?? 'false';
  parameters.delete('sasl');
  if (sasl !== 'true' && sasl !== 'false') throw url.invalid('must have sasl=true or sasl=false');
  if (sasl === 'true' && !hasUser) throw url.invalid('has sasl=true, but no user:password before the @');
  return sasl === 'true';
}

function parseUser(text: string): string {
  const user = text.split(':').map(url.decode);
  if (user.length !== 2 || user.includes('')) throw url.invalid('must have user:password before the @');
  return user.join(':');
}

const fileParameters = { cacertfile: 'ca', certfile: 'cert', keyfile: 'key' } as const;

async function readTls(secure: boolean, query: URLSearchParams): Promise<SecureContextOptions | undefined> {
  const tls: SecureContextOptions = {};
  for (const [name, file] of query) {
    const option = Object.entries(fileParameters).find(([parameter]) => parameter === name)?.[1];
    if (!option)
      throw url.invalid(
        `has an unknown parameter "${name}"; use sasl, ${Object.keys(fileParameters).join(', ')}`,
      );
    if (!secure) throw url.invalid(`has ${name}, which is for TLS; start it with zookeepers://`);
    tls[option] = await url.pem(name, file);
  }
  return secure ? tls : undefined;
}
