import { z } from 'zod';
import type { Caller } from '../../ground/caller.ts';
import type { Namer } from '../../stage/owned-name.ts';

/** Parts shared by the inputs of several operations. */

export const nothing = z.strictObject({});

/** One page of a long list. Every listing is bounded: a program may have created very many rows. */
export const page = {
  offset: z.int().min(0).max(10_000_000).describe('Rows to skip').default(0),
  limit: z.int().min(1).max(1000).describe('Maximum number of rows').default(1000),
};

export function cut<T>(rows: readonly T[], { offset, limit }: { offset: number; limit: number }): T[] {
  return rows.slice(offset, offset + limit);
}

/** The user whose name pipelines and output queues get. */
export function namer({ name, role }: Pick<Caller, 'name' | 'role'>): Namer {
  return { owner: name, role };
}

/** A queue is named like a stage; a name to look up need not be well formed, only bounded. */
export const queueName = z.string().min(1).max(200);

export const workerId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}$/,
    'a worker is named by 1 to 100 letters, digits, dots, dashes, colons or underscores, and begins with a letter or digit',
  );

export const blobHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a blob is named by its SHA-256: 64 lower-case hexadecimal digits');

/** A form sends the version that it was filled from. */
export const base = z
  .int()
  .min(1)
  .optional()
  .describe(
    'Version that the change starts from: if somebody has changed it since, the answer is `conflict`, and `details` says who',
  );

export const labels = z.array(z.string().min(1).max(100)).max(50);
