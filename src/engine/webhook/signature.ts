import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signs according to the specification Standard Webhooks, which has libraries in most languages:
 *
 *     webhook-id: 0197a0c4-...             the same at every attempt
 *     webhook-timestamp: 1700000000        seconds, of this attempt
 *     webhook-signature: v1,BASE64 v1,BASE64
 *
 * A signature is the HMAC-SHA256 of `id.timestamp.body`; each secret gives one.
 */
export function signatureHeaders(signed: {
  id: string;
  body: string;
  atMs: number;
  secrets: readonly string[];
}): Record<string, string> {
  const { id, body, secrets } = signed;
  const timestamp = String(Math.floor(signed.atMs / 1000));
  const signatures = secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  };
}

/**
 * For receivers: whether one of the signatures matches the body as received, byte for byte, and is recent. An older signature may
 * be a replayed copy; within `toleranceMs`, `webhook-id` tells copies apart.
 */
export function verifySignature(received: {
  secret: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  now: number;
  toleranceMs?: number;
}): boolean {
  const { secret, headers, body, now, toleranceMs = 300_000 } = received;
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => {
    const value = headers[`webhook-${name}`];
    return typeof value === 'string' ? value : '';
  });
  if (!id || !timestamp || !/^\d{1,12}$/.test(timestamp) || !signatures) return false;
  if (Math.abs(now - Number(timestamp) * 1000) > toleranceMs) return false;
  const expected = Buffer.from(`v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`);
  return signatures.split(' ').some((text) => {
    const signature = Buffer.from(text);
    return signature.length === expected.length && timingSafeEqual(signature, expected);
  });
}

/** A secret is `whsec_` and the key in Base64. */
function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
