import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

export const newPassword = z
  .string()
  .min(10, 'a password has at least 10 characters')
  .max(1000, 'a password has at most 1000 characters');

/** The cost of a new hash: 32 MB and three passes, as OWASP advises for scrypt where memory is scarce. */
const present = { cost: 2 ** 15, blockSize: 8, parallelization: 3 };

/** The parameters are part of the text, so hashes made with older ones stay valid. */
export async function hashPassword(password: string, parameters = present): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, 32, parameters);
  const { cost, blockSize, parallelization } = parameters;
  return [
    'scrypt',
    cost,
    blockSize,
    parallelization,
    salt.toString('base64url'),
    key.toString('base64url'),
  ].join('$');
}

/** Takes the same time whether the user exists (`hash` given) or not, so that names can't be found out by timing. */
export async function passwordMatches(password: string, hash: string | undefined): Promise<boolean> {
  const [kind, cost, blockSize, parallelization, salt = '', key = ''] = (hash ?? nobodysHash).split('$');
  if (kind !== 'scrypt') return false;
  const expected = Buffer.from(key, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  });
  return timingSafeEqual(actual, expected) && hash !== undefined;
}

/** Costs as much to check as a real hash. A password that matches it is still refused. */
const nobodysHash = [
  'scrypt',
  ...Object.values(present),
  Buffer.alloc(16).toString('base64url'),
  Buffer.alloc(32).toString('base64url'),
].join('$');

function derive(password: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Keyboards encode the same text as different code points; NFKC unifies them.
    scrypt(password.normalize('NFKC'), salt, length, { ...options, maxmem: 256 * 2 ** 20 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
