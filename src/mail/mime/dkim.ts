import { createPrivateKey, hash, type KeyObject, sign as signWithCallback } from 'node:crypto';
import { promisify } from 'node:util';
import { PismakError } from '../../engine/ground/errors.ts';
import type { Header } from './headers.ts';

/** Signs in the thread pool: an RSA signature takes three times as long as the rest of a mail. */
const sign = promisify(signWithCallback) as (
  algorithm: string | null,
  data: Buffer,
  key: KeyObject,
) => Promise<Buffer>;

/** A key that signs for a domain. Kept as a key object: parsing the PEM costs four times the signature. */
export interface DkimKey {
  domain: string;
  selector: string;
  key: KeyObject;
}

/** Headers that are signed, if present. Headers signed twice can't be added in transit. */
const signed = [
  'from',
  'from',
  'to',
  'subject',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-id',
];

export function readDkimKey(domain: string, selector: string, pem: string): DkimKey {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new PismakError(
      'configuration-invalid',
      `the DKIM key of ${domain} is not a private key in PEM format`,
      {
        cause: error,
      },
    );
  }
  if (key.asymmetricKeyType !== 'rsa' && key.asymmetricKeyType !== 'ed25519')
    throw new PismakError('configuration-invalid', `the DKIM key of ${domain} must be RSA or Ed25519`);
  return { domain, selector, key };
}

/** The DKIM-Signature header of a mail (RFC 6376, RFC 8463). Header relaxed, body simple: relays do not change our bodies. */
export async function dkimSignature(
  headers: readonly Header[],
  body: Buffer,
  { domain, selector, key }: DkimKey,
  now: number,
): Promise<Header> {
  const isRsa = key.asymmetricKeyType === 'rsa';
  const left = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    const values = left.get(lower);
    if (values) values.push(value);
    else left.set(lower, [value]);
  }
  const present = signed.filter((name) => left.has(name));
  let canonical = '';
  for (const name of present) {
    const value = left.get(name)?.pop();
    if (value !== undefined) canonical += `${name}:${relaxed(value)}\r\n`;
  }
  const bodyHash = hash('sha256', simpleBody(body), 'base64');
  const unsigned =
    `v=1; a=${isRsa ? 'rsa' : 'ed25519'}-sha256; c=relaxed/simple; d=${domain}; s=${selector}; t=${Math.floor(now / 1000)};` +
    `\r\n h=${present.join(':')};\r\n bh=${bodyHash};\r\n b=`;
  const data = `${canonical}dkim-signature:${relaxed(unsigned)}`;
  const signature = await (isRsa
    ? sign('sha256', Buffer.from(data), key)
    : sign(null, hash('sha256', data, 'buffer'), key));
  return ['DKIM-Signature', unsigned + (signature.toString('base64').match(/.{1,72}/g) ?? []).join('\r\n ')];
}

function relaxed(value: string): string {
  return value
    .replaceAll(/\r\n/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
}

/** Ends with exactly one CRLF. */
function simpleBody(body: Buffer): Buffer {
  let end = body.length;
  while (end >= 2 && body[end - 1] === 0x0a && body[end - 2] === 0x0d) end -= 2;
  return end + 2 <= body.length ? body.subarray(0, end + 2) : Buffer.concat([body, Buffer.from('\r\n')]);
}
