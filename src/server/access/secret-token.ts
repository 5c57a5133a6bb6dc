import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits. Nobody can guess them, so storing a fast hash is enough. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Compares in constant time. */
export function tokenMatches(token: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashToken(token)), Buffer.from(hash));
}
