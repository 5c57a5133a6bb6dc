import { readFile } from 'node:fs/promises';
import type { SecureContextOptions } from 'node:tls';
import { messageOf, PismakError } from '../../errors.ts';
import { checkPath } from '../path.ts';

/** Where the ensemble is, and as whom we come. */
export interface EnsembleAddress {
  servers: { host: string; port: number }[];
  /** Under which path all our nodes are. */
  root: string;
  /** `user:password`. */
  credentials: string | undefined;
  tls: SecureContextOptions | undefined;
}

/** Never repeats the URL in an error: it may hold a password. */
export async function parseAddress(url: string): Promise<EnsembleAddress> {
  const match = /^zookeeper(s?):\/\/(?:([^@/?]*)@)?([^@/?]+)(\/[^?]*)?(?:\?(.*))?$/.exec(url);
  if (!match) throw invalid('it must look like zookeeper://[user:password@]host:2181,host:2181[/path]');
  const [, secure, user, hosts = '', path = '/', query] = match;
  // What looks like a host may be the beginning of a password.
  if (path.includes('@')) throw invalid('write / and @ of the password as %2F and %40');
  const root = decode(path.replace(/\/+$/, '')) || '/pismak';
  try {
    checkPath(root);
  } catch (error) {
    throw invalid(messageOf(error));
  }
  return {
    servers: hosts.split(',').map((host) => parseServer(host, secure ? 2281 : 2181)),
    root,
    credentials: user === undefined ? undefined : parseUser(user),
    tls: await readTls(secure !== '', new URLSearchParams(query)),
  };
}

function parseServer(text: string, usualPort: number): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([\da-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const number = port === undefined ? usualPort : Number(port);
  if (host === undefined || number < 1 || number > 65_535) {
    throw invalid('a host in it is neither host nor host:port');
  }
  return { host, port: number };
}

function parseUser(text: string): string {
  const user = text.split(':').map(decode);
  if (user.length !== 2 || user.includes('')) throw invalid('before the @ there must be user:password');
  return user.join(':');
}

const fileParameters = { cacertfile: 'ca', certfile: 'cert', keyfile: 'key' } as const;

async function readTls(secure: boolean, query: URLSearchParams): Promise<SecureContextOptions | undefined> {
  const tls: SecureContextOptions = {};
  for (const [name, file] of query) {
    const option = Object.entries(fileParameters).find(([parameter]) => parameter === name)?.[1];
    if (!option)
      throw invalid(`"${name}" is no parameter; there are ${Object.keys(fileParameters).join(', ')}`);
    if (!secure) throw invalid(`${name} is for TLS: begin with zookeepers://`);
    tls[option] = await readFile(file).catch((cause: unknown) => {
      throw new PismakError(
        'configuration-invalid',
        `Cannot read the ${name} ${file} of the coordination URL`,
        {
          cause,
        },
      );
    });
  }
  return secure ? tls : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid('a % in it is not followed by two hexadecimal digits');
  }
}

function invalid(why: string): PismakError {
  return new PismakError('configuration-invalid', `The URL of the coordination is wrong: ${why}`);
}
