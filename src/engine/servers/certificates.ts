import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { messageOf } from '../ground/errors.ts';

/** A server of the settings that we reach through TLS. */
export interface TlsServer {
  /** `broker`, or the path of another setting. */
  setting: string;
  host: string;
  port: number;
  /** PostgreSQL begins in the clear. */
  asksFirst: boolean;
}

export interface ServerCertificate {
  setting: string;
  /** Host and port. */
  server: string;
  /** Who it names, and who signed it; empty if it can't be read. */
  subject: string;
  issuer: string;
  /** Null if it can't be read: `problem` says why. */
  validTo: number | null;
  problem: string | null;
}

const schemes: Readonly<Record<string, number>> = {
  amqps: 5671,
  zookeepers: 2281,
  clickhouses: 8443,
  smtps: 465,
  postgres: 5432,
  postgresql: 5432,
};

const mostServers = 50;

/** The servers in all settings, whatever their section: their URLs tell. */
export function tlsServers(settings: unknown, path = ''): TlsServer[] {
  if (typeof settings === 'string') return serversOf(settings, path);
  if (typeof settings !== 'object' || settings === null) return [];
  const found = Object.entries(settings).flatMap(([name, value]) =>
    tlsServers(value, Array.isArray(settings) ? path : path === '' ? name : `${path}.${name}`),
  );
  const byAddress = new Map(found.map((each) => [`${each.setting} ${each.host}:${each.port}`, each]));
  return [...byAddress.values()].slice(0, mostServers);
}

function serversOf(url: string, setting: string): TlsServer[] {
  // The password may contain anything but @, / and ?: these are escaped.
  const [, scheme = '', hosts = '', query = ''] =
    /^([a-z]+):\/\/(?:[^@/?]*@)?([^@/?]+)(?:\/[^?]*)?(?:\?(.*))?$/.exec(url) ?? [];
  const port = schemes[scheme];
  if (port === undefined) return [];
  const asksFirst = scheme.startsWith('postgres');
  const parameters = new URLSearchParams(query);
  const mode = parameters.get('sslmode') ?? (parameters.has('sslrootcert') ? 'verify-full' : 'disable');
  if (asksFirst && mode === 'disable') return [];
  return hosts.split(',').flatMap((text) => {
    const [, bracketed, plain, given] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(text) ?? [];
    const host = bracketed ?? plain;
    return host === undefined ? [] : [{ setting, host, port: Number(given ?? port), asksFirst }];
  });
}

/** Reads the certificate of a server. Sends it nothing, and doesn't check it: those who send do. */
export async function readCertificate(server: TlsServer, signal: AbortSignal): Promise<ServerCertificate> {
  const { setting, host, port } = server;
  const name = { setting, server: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}` };
  try {
    const { subject, issuer, valid_to: validTo } = await handshake(server, signal);
    return {
      ...name,
      subject: String(subject?.CN ?? ''),
      issuer: String(issuer?.CN ?? issuer?.O ?? ''),
      validTo: Date.parse(validTo),
      problem: null,
    };
  } catch (error) {
    return { ...name, subject: '', issuer: '', validTo: null, problem: messageOf(error) };
  }
}

/** Asks a PostgreSQL server for TLS (SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

async function handshake(
  { host, port, asksFirst }: TlsServer,
  signal: AbortSignal,
): Promise<PeerCertificate> {
  const sockets: Socket[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<PeerCertificate>();
  const stop = () => reject(new Error('no answer in time'));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const begin = (socket?: Socket) => {
    const secure: TLSSocket = connect({
      ...(socket ? { socket } : { host, port }),
      ...(isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
    });
    sockets.push(secure);
    secure.once('error', reject).once('secureConnect', () => {
      const certificate = secure.getPeerCertificate();
      if (certificate.valid_to === undefined) reject(new Error('the server shows no certificate'));
      else resolve(certificate);
    });
  };
  if (asksFirst) {
    const plain = connectPlain({ host, port });
    sockets.push(plain);
    plain.once('error', reject).once('connect', () => plain.write(sslRequest));
    plain.once('data', (answer) => {
      if (answer.toString('latin1') === 'S') begin(plain);
      else reject(new Error('the server does not offer TLS'));
    });
  } else begin();
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    // The outermost: it closes what is below.
    sockets.at(-1)?.destroy();
  }
}
