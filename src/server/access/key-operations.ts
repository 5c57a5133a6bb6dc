import { z } from 'zod';
import { mayTouch } from '../../engine/ground/caller.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';
import { createKey, keyOwner, listKeys, revokeKey, scope } from './keys.ts';

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  role,
  scopes: z.array(z.string()),
  createdAt: z.number(),
  lastUsedAt: z.number().nullable().describe('Accurate to a few seconds'),
  uses: z.number(),
  revokedAt: z.number().nullable(),
  expiresAt: z.number().nullable().describe('Null if the key never expires'),
});

export const keyList = defineOperation({
  name: 'key.ls',
  summary: 'List your keys; administrators see the keys of all users',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({}),
  output: z.object({ keys: z.array(apiKey) }),
  example: {},
  handler: async ({ engine, caller }) => ({
    keys: await listKeys(engine.database, caller.role === 'admin' ? undefined : caller.name),
  }),
});

export const keyCreate = defineOperation({
  name: 'key.create',
  summary: 'Create a key for programs; the key is shown only once',
  role: 'reader',
  owner: 'caller',
  changes: true,
  input: z.strictObject({
    name: z.string().min(1).max(100).describe('Purpose of the key'),
    role: role.optional().describe('At most your own role; your own by default'),
    scopes: z
      .array(scope)
      .min(1)
      .max(50)
      .optional()
      .describe('Operations that the key may call; all by default'),
    expiresInMs: z
      .int()
      .min(60_000)
      .max(3650 * 24 * 3_600_000)
      .optional()
      .describe('How long the key is valid; unlimited by default'),
    owner: z
      .string()
      .optional()
      .describe('Owner of the key, you by default; only administrators may name another user'),
  }),
  output: z.object({
    id: z.string(),
    key: z.string(),
    role,
    scopes: z.array(z.string()),
    expiresAt: z.number().nullable(),
  }),
  example: { name: 'nightly upload', role: 'user', scopes: ['request.submit', 'results.'] },
  async handler({ engine, caller }, { owner = caller.name, ...input }) {
    if (!mayTouch(caller, owner))
      throw new PismakError('forbidden', 'only an administrator may create keys for other users');
    return createKey(engine, { ...input, owner }, caller);
  },
});

export const keyRevoke = defineOperation({
  name: 'key.revoke',
  summary: 'Revoke a key permanently',
  role: 'reader',
  owner: ({ engine }, { id }) => keyOwner(engine.database, id),
  changes: true,
  input: z.strictObject({ id: z.string() }),
  output: z.strictObject({}),
  example: { id: '0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11' },
  async handler({ engine }, { id }) {
    await revokeKey(engine, id);
    return {};
  },
});

export const keyOperations: Operation[] = [keyList, keyCreate, keyRevoke];
