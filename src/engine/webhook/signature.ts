import { createHmac, timingSafeEqual } from 'node:crypto';

/** `t=1700000000,v1=...`: the time in seconds and the HMAC-SHA256 of `t.body`, in hexadecimal digits. */
export function sign(secret: string, body: string, atMs: number): string {
  const t = Math.floor(atMs / 1000);
  return `t=${t},v1=${hmac(secret, t, body)}`;
}

/**
 * For receivers: whether the header `Pismak-Signature` matches the body as received, byte for byte, and is fresh. An older
 * one may be a replayed copy.
 */
export function verifySignature(options: {
  secret: string;
  header: string;
  body: string;
  now: number;
  toleranceMs?: number;
}): boolean {
  const { secret, header, body, now, toleranceMs = 300_000 } = options;
  const match = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header);
  if (!match) return false;
  const t = Number(match[1]);
  if (Math.abs(now - t * 1000) > toleranceMs) return false;
  return timingSafeEqual(Buffer.from(hmac(secret, t, body)), Buffer.from(match[2] ?? ''));
}

function hmac(secret: string, t: number, body: string): string {
  return createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
}
