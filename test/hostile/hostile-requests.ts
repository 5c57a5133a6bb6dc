import type { Random } from '../../src/engine/ground/identity.ts';
import { hostileInput, type Known, pick } from './hostile-inputs.ts';
import type { Offered } from './operations-list.ts';
import type { Sent } from './target.ts';

/** How a request is hostile; the figures count each. */
export type Kind = 'input' | 'body' | 'header' | 'path' | 'upload' | 'cut' | 'slow';

export interface Attack {
  kind: Kind;
  /** Whom it is aimed at, for the report. */
  operation: string;
  sent: Sent;
}

const json = { 'content-type': 'application/json' };

/** The next hostile request. */
export function nextAttack(random: Random, offered: readonly Offered[], known: Known): Attack {
  const target = pick(random, offered);
  const roll = random();
  const attack = (kind: Kind, sent: Sent): Attack => ({ kind, operation: target.name, sent });
  if (roll < 0.72) return attack('input', ordinary(random, target, known));
  if (roll < 0.84) return attack('body', hostileBody(random, target));
  if (roll < 0.9) return attack('header', withHeaders(random, ordinary(random, target, known)));
  if (roll < 0.95) return attack('path', hostilePath(random, target, known));
  if (roll < 0.98) return attack('upload', upload(random, known));
  if (roll < 0.995) {
    const sent = { ...hostileBody(random, target), headers: json };
    return attack('cut', { ...sent, cutAfter: Math.floor(random() * 3_000) });
  }
  const body = JSON.stringify(target.example).padEnd(70, ' ');
  return attack('slow', { method: 'POST', path: target.path, headers: json, body, dribbleMs: 300 });
}

function ordinary(random: Random, target: Offered, known: Known): Sent {
  const input = hostileInput(random, target.input, target.example, known);
  const path = filled(random, target.path, known);
  if (target.method === 'GET') return { method: 'GET', path: `${path}?${query(input)}` };
  return { method: target.method, path, headers: json, body: JSON.stringify(input) ?? 'null' };
}

function filled(random: Random, path: string, known: Known): string {
  return path.replaceAll(/\{\w+\}/g, () => {
    const value = pick(random, [...known.foreign, ...known.own, '0', '..', '%00']);
    return encodeURIComponent(value.slice(0, 300).toWellFormed());
  });
}

function query(input: unknown): string {
  if (typeof input !== 'object' || input === null) return encodeURIComponent(String(input).toWellFormed());
  const pairs = Object.entries(input).flatMap(([name, value]) => {
    const texts = Array.isArray(value) ? value.slice(0, 200) : [value];
    return texts.map((one) => {
      const text = typeof one === 'string' ? one : JSON.stringify(one);
      return `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent((text ?? '').slice(0, 3_000).toWellFormed())}`;
    });
  });
  return pairs.join('&').slice(0, 30_000);
}

function hostileBody(random: Random, target: Offered): Sent {
  const method = target.method === 'GET' ? pick(random, ['GET', 'POST']) : target.method;
  const sent = (body: string | Uint8Array, headers: Sent['headers'] = json): Sent => ({
    method,
    path: target.path.replaceAll(/\{\w+\}/g, '0'),
    headers,
    body,
  });
  const example = JSON.stringify(target.example);
  const bodies: (() => Sent)[] = [
    () => sent('['.repeat(200_000)),
    () => sent(`${'['.repeat(400_000)}${']'.repeat(400_000)}`),
    () => sent(`{"a":`.repeat(100_000)),
    () => sent(`[${'1,'.repeat(450_000)}1]`),
    () => sent(`{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":0`).join(',')}}`),
    () => sent(`{"name":"${'a'.repeat(900_000)}"}`),
    () => sent(`{"name":"${'\\u0000'.repeat(100_000)}"}`),
    () => sent('{"__proto__":{"role":"admin"},"constructor":{"prototype":{"role":"admin"}}}'),
    () => sent('{"role":"user","role":"admin"}'),
    () => sent(example.slice(0, -1)),
    () => sent(`\ufeff${example}`),
    () => sent(Buffer.from([0x7b, 0xff, 0xfe, 0x22, 0x00, 0x7d])),
    () => sent(`${example}${example}`),
    () => sent('1e999999'),
    () => sent(`-${'9'.repeat(100_000)}`),
    () => sent(example, { 'content-type': 'text/plain' }),
    () => sent(example, { 'content-type': 'application/x-www-form-urlencoded' }),
    () => sent(example, { 'content-type': 'application/json; charset=utf-7' }),
    () => sent(example, { 'content-type': `multipart/form-data; boundary=${'-'.repeat(5_000)}` }),
    () => sent(example, { ...json, 'content-encoding': 'gzip' }),
    () => sent(example, { ...json, expect: '100-continue' }),
    () => sent(example, { ...json, expect: 'a miracle' }),
    () => sent(example, { ...json, 'content-length': '99999999999' }),
  ];
  // Once in a while, what froze the process before: it must be refused without being read.
  if (random() < 0.01) return sent(`${'[1,'.repeat(15_000_000)}`);
  return pick(random, bodies)();
}

function withHeaders(random: Random, sent: Sent): Sent {
  const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`x-header-${n}`, 'v']));
  const sets: Sent['headers'][] = [
    many,
    { 'x-long': 'a'.repeat(15_000) },
    { 'x-longer': 'a'.repeat(40_000) },
    { authorization: 'Bearer' },
    { authorization: `Bearer ${'a'.repeat(10_000)}` },
    { authorization: 'Basic YWRtaW46YWRtaW4=' },
    { authorization: 'Bearer local' },
    { cookie: `pismak_session=${'a'.repeat(4_000)}` },
    { cookie: Array.from({ length: 1_000 }, (_, n) => `c${n}=1`).join('; ') },
    { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1', forwarded: 'for=127.0.0.1' },
    { 'x-forwarded-host': 'evil.example', host: 'evil.example' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { range: `bytes=${Array.from({ length: 500 }, (_, n) => `${n}-${n}`).join(',')}` },
    { 'last-event-id': '-99999999999999999999' },
    { 'if-none-match': '*', 'accept-encoding': 'gzip;q=0, *;q=0', accept: 'image/png' },
    { upgrade: 'websocket', connection: 'upgrade' },
    { 'transfer-encoding': 'chunked', 'content-length': '5' },
  ];
  return { ...sent, headers: { ...sent.headers, ...pick(random, sets) } };
}

function hostilePath(random: Random, target: Offered, known: Known): Sent {
  const paths = [
    '/api/v1/../../../etc/passwd',
    '/api/v1/%2e%2e/%2e%2e/etc/passwd',
    '/%00',
    '/%ff%fe',
    '//evil.example/',
    `/${'a'.repeat(8_000)}`,
    `/api/v1/${'a/'.repeat(2_000)}`,
    `${target.path}/`,
    `${target.path.toUpperCase()}`,
    `${target.path};jsessionid=1`,
    `${target.path}?${Array.from({ length: 3_000 }, (_, n) => `a${n}=1`).join('&')}`,
    `${target.path}?${'a[b]'.repeat(500)}=1`,
    `${target.path}?__proto__[role]=admin&constructor=1`,
    `/api/v1/results/${encodeURIComponent(pick(random, known.foreign))}/blobs/${'0'.repeat(64)}`,
    '/metrics',
    '/docs',
    '/',
    '/api/v1/openapi.json',
    '/api/v1/health',
    '/.git/config',
    '/api/v1/changes?since=-1',
  ];
  const methods = [
    'GET',
    'GET',
    'GET',
    'HEAD',
    'OPTIONS',
    'DELETE',
    'PUT',
    'PATCH',
    'TRACE',
    'PROPFIND',
    'POST',
  ];
  return { method: pick(random, methods), path: pick(random, paths).replaceAll(/[{}]/g, '') };
}

function upload(random: Random, known: Known): Sent {
  const bytes = Buffer.alloc(Math.floor(random() * 20_000), Math.floor(random() * 256));
  const type = {
    'content-type': pick(random, ['application/octet-stream', 'image/png', 'application/json']),
  };
  if (random() < 0.4) return { method: 'POST', path: '/api/v1/blobs', headers: type, body: bytes };
  const offset = pick(random, ['0', '1', '-1', '99999999999999999999', 'NaN', '4294967296']);
  const path = `/api/v1/uploads/${encodeURIComponent(pick(random, [...known.foreign, ...known.own]))}/${offset}`;
  return { method: 'PUT', path, headers: type, body: bytes };
}
