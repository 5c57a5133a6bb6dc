import { hash, randomUUID } from 'node:crypto';
import type { WebResponse } from './document.ts';

/** Where identical bytes were stored before. */
export interface EarlierRecord {
  url: string;
  date: string;
}

export interface WarcRecord {
  bytes: Buffer;
  /** SHA-1 of the body in base 32, as other tools write it. */
  digest: string;
  isRevisit: boolean;
}

/** The first record of every file. */
export function infoRecord(fields: Readonly<Record<string, string>>, fileName: string, date: string): Buffer {
  const block = Buffer.from(
    Object.entries({ format: 'WARC File Format 1.1', ...fields })
      .map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}\r\n`)
      .join(''),
  );
  return record(
    {
      'WARC-Type': 'warcinfo',
      'WARC-Date': date,
      'WARC-Filename': fileName,
      'Content-Type': 'application/warc-fields',
    },
    block,
  );
}

/** A response record; only headers if the same body is already stored. */
export function responseRecord(
  url: string,
  response: WebResponse,
  date: string,
  earlierOf: (digest: string) => EarlierRecord | undefined,
): WarcRecord {
  const digest = `sha1:${base32(hash('sha1', response.body, 'buffer'))}`;
  const head = Buffer.from(httpHead(response));
  const fields: Record<string, string> = {
    'WARC-Target-URI': URL.parse(url)?.href ?? url,
    'WARC-Date': date,
    'WARC-Payload-Digest': digest,
    'Content-Type': 'application/http;msgtype=response',
  };
  if (response.address !== undefined) fields['WARC-IP-Address'] = response.address;
  const earlier = response.body.length > 0 ? earlierOf(digest) : undefined;
  if (earlier !== undefined) {
    const refers = {
      'WARC-Type': 'revisit',
      ...fields,
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
      'WARC-Refers-To-Target-URI': earlier.url,
      'WARC-Refers-To-Date': earlier.date,
    };
    return { bytes: record(refers, head), digest, isRevisit: true };
  }
  const block = Buffer.concat([head, response.body]);
  return { bytes: record({ 'WARC-Type': 'response', ...fields }, block), digest, isRevisit: false };
}

/** A record for 304: the page has not changed since an earlier answer, which some file has. */
export function notModifiedRecord(
  url: string,
  response: WebResponse,
  { date, since }: { date: string; since: string | undefined },
): WarcRecord {
  const target = URL.parse(url)?.href ?? url;
  const fields: Record<string, string> = {
    'WARC-Type': 'revisit',
    'WARC-Target-URI': target,
    'WARC-Date': date,
    'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/server-not-modified',
    ...(since !== undefined && { 'WARC-Refers-To-Target-URI': target, 'WARC-Refers-To-Date': since }),
    'Content-Type': 'application/http;msgtype=response',
  };
  if (response.address !== undefined) fields['WARC-IP-Address'] = response.address;
  return { bytes: record(fields, Buffer.from(httpHead(response))), digest: '-', isRevisit: true };
}

/** A response record without its body, which an earlier record has. */
export function toRevisit(response: Buffer, earlier: EarlierRecord): Buffer {
  const headEnd = response.indexOf('\r\n\r\n') + 4;
  const block = response.subarray(headEnd, response.indexOf('\r\n\r\n', headEnd) + 4);
  const fields = Object.fromEntries(
    response
      .toString('utf8', 0, headEnd)
      .split('\r\n')
      .slice(1)
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
      .filter(([name = '']) => name !== '' && !ownFields.has(name)),
  ) as Record<string, string>;
  return record(
    {
      ...fields,
      'WARC-Type': 'revisit',
      'WARC-Profile': 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
      'WARC-Refers-To-Target-URI': earlier.url,
      'WARC-Refers-To-Date': earlier.date,
    },
    Buffer.from(block),
  );
}

/** Every record has an id of its own. */
const ownFields = new Set(['WARC-Record-ID', 'WARC-Block-Digest', 'Content-Length']);

function record(fields: Readonly<Record<string, string>>, block: Buffer): Buffer {
  const all = {
    ...fields,
    'WARC-Record-ID': `<urn:uuid:${randomUUID()}>`,
    'WARC-Block-Digest': `sha1:${base32(hash('sha1', block, 'buffer'))}`,
    'Content-Length': String(block.length),
  };
  const head = Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${head}\r\n`), block, Buffer.from('\r\n\r\n')]);
}

/** The body is stored decoded, so headers about its encoding keep their value under another name. */
function httpHead({ status, reason = '', headers, body }: WebResponse): string {
  const lines = [`HTTP/1.1 ${status} ${oneLine(reason)}`.trimEnd()];
  for (const [name, value] of headers) {
    const stored = storedName(name);
    if (stored !== '') lines.push(`${stored}: ${oneLine(value)}`);
  }
  lines.push(`Content-Length: ${body.length}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** Cached, because servers send the same few names. */
const storedNames = new Map<string, string>();

/** The name under which a header is stored; empty if it is not a header. */
function storedName(name: string): string {
  let stored = storedNames.get(name);
  if (stored === undefined) {
    const isName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name);
    const isOurs = /^(?:content-encoding|transfer-encoding|content-length)$/i.test(name);
    stored = isName ? `${isOurs ? 'X-Orig-' : ''}${name}` : '';
    if (storedNames.size >= 1_000) storedNames.clear();
    storedNames.set(name, stored);
  }
  return stored;
}

function oneLine(value: string): string {
  return (/[\r\n\0]/.test(value) ? value.replaceAll(/[\r\n\0]+/g, ' ') : value).trim();
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >>> bits) & 31];
    }
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}
