import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { PismakError } from '../../ground/errors.ts';

/** What ZooKeeper's servers call themselves, whatever their host. */
const digestUri = 'zookeeper/zk-sasl-md5';
const count = '00000001';

/** Sends a token to the server and resolves to its answer. */
export type Exchange = (token: Buffer) => Promise<Buffer>;

/**
 * Authenticates by SASL with the mechanism DIGEST-MD5 (RFC 2831), as ZooKeeper's own clients do. The password is not
 * sent, and the server must prove that it knows it too.
 */
export async function authenticateBySasl(credentials: string, exchange: Exchange): Promise<void> {
  const challenge = readDirectives(await exchange(Buffer.alloc(0)));
  const { realm = '', nonce } = challenge;
  if (nonce === undefined)
    throw refused('ZooKeeper has no SASL users set up; leave sasl=true out of the coordination URL');
  const cnonce = randomBytes(16).toString('base64');
  const [user, password] = splitAtColon(credentials);
  const secret = md5(Buffer.concat([oldest(user), colon, oldest(realm), colon, oldest(password)]));
  const session = md5(Buffer.concat([secret, Buffer.from(`:${nonce}:${cnonce}`)])).toString('hex');
  const proof = (verb: string) => {
    const what = md5(`${verb}:${digestUri}`).toString('hex');
    return md5(`${session}:${nonce}:${count}:${cnonce}:auth:${what}`).toString('hex');
  };
  const answer = [
    'charset=utf-8',
    `username=${quote(user)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `nc=${count}`,
    `cnonce=${quote(cnonce)}`,
    `digest-uri=${quote(digestUri)}`,
    'maxbuf=65536',
    `response=${proof('AUTHENTICATE')}`,
    'qop=auth',
  ];
  const { rspauth = '' } = readDirectives(await exchange(Buffer.from(answer.join(','))));
  const expected = Buffer.from(proof(''));
  const given = Buffer.from(rspauth);
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw refused("the ZooKeeper server doesn't know the password: it may be a false one");
}

function refused(why: string): PismakError {
  return new PismakError('forbidden', `SASL with ZooKeeper failed: ${why}.`);
}

const colon = Buffer.from(':');

function splitAtColon(text: string): [string, string] {
  const at = text.indexOf(':');
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The RFC wants ISO 8859-1 where that has all characters, else UTF-8. */
function oldest(text: string): Buffer {
  const latin = Buffer.from(text, 'latin1');
  return latin.toString('latin1') === text ? latin : Buffer.from(text);
}

function md5(data: Buffer | string): Buffer {
  return createHash('md5').update(data).digest();
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

/** In bytes (RFC 2831). */
const longestChallenge = 2048;

/** `realm="a",nonce="b",algorithm=md5-sess` */
function readDirectives(token: Buffer): Record<string, string | undefined> {
  const text = token.toString('utf8', 0, longestChallenge);
  // linear: at most 2,048 characters (longestChallenge)
  const found = text.matchAll(/([\w-]+)=(?:"((?:\\.|[^"\\])*)"|([^,]*))/g);
  return Object.fromEntries(
    [...found].map(([, name, quoted, plain]) => [name, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain]),
  );
}
