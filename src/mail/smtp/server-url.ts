import { PismakError } from '../../engine/ground/errors.ts';

/** A mail server as its URL describes it: `smtp://user:password@mail.example.org:587?tls=require`. */
export interface SmtpServer {
  host: string;
  port: number;
  /** `always`: TLS from the first byte. `require`: STARTTLS is mandatory. `offered`: STARTTLS if the server offers it. */
  tls: 'always' | 'require' | 'offered' | 'never';
  /** False accepts any certificate. */
  verify: boolean;
  auth?: { method?: 'plain' | 'login' | 'xoauth2' | undefined; user: string; secret: string } | undefined;
}

const methods = ['plain', 'login', 'xoauth2'] as const;
const tlsModes = ['always', 'require', 'offered', 'never'] as const;

export function parseServerUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    throw new PismakError(
      'configuration-invalid',
      `${masked(text)} must look like smtp://HOST:PORT or smtps://HOST`,
    );
  const always = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const user = decodeURIComponent(url.username);
  const secret = decodeURIComponent(url.password);
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  // Never send a password in the clear, except on this machine or if the administrator allows it.
  const usual = always ? 'always' : user !== '' && !isLocal ? 'require' : 'offered';
  const tls = oneOf(url, 'tls', tlsModes) ?? usual;
  const method = oneOf(url, 'auth', methods);
  return {
    host,
    port: url.port === '' ? (always ? 465 : 25) : Number(url.port),
    tls,
    verify: url.searchParams.get('verify') !== 'no' && (tls === 'always' || tls === 'require'),
    ...(user !== '' && { auth: { method, user, secret } }),
  };
}

function oneOf<Value extends string>(url: URL, name: string, values: readonly Value[]): Value | undefined {
  const given = url.searchParams.get(name);
  if (given === null) return undefined;
  const value = values.find((one) => one === given);
  if (value) return value;
  throw new PismakError('configuration-invalid', `${name}=${given} must be one of ${values.join(', ')}`);
}

/** The URL without its password, for messages and lists. */
export function masked(url: string): string {
  return url.replace(/\/\/([^/@:]*):[^/@]*@/, '//$1:***@');
}
