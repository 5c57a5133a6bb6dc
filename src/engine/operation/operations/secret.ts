import { z } from 'zod';
import { PismakError } from '../../ground/errors.ts';
import { defineOperation, type OperationContext } from '../operation.ts';
import { done } from './rows.ts';

const hourMs = 3_600_000;
const owner = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Whose webhooks; yours by default. Administrators may name a user, or `local` for alerts');

const row = {
  id: z.string(),
  owner: z.string(),
  createdAt: z.number(),
  endsAt: z.number().nullable().describe('When it stops signing; null: it is the current one'),
};
const shownOnce = z.string().describe('Shown only now: give it to your receiver');

/** Other users' secrets look as if they did not exist. */
const ofOwner = {
  role: 'user',
  owner: async ({ caller }: OperationContext, { owner = caller.name }: { owner?: string | undefined }) =>
    owner,
} as const;

export const secretList = defineOperation({
  name: 'secret.ls',
  summary:
    'List the secrets that sign your webhooks, without their text; administrators see the secrets of all users',
  role: 'user',
  owner: 'caller',
  changes: false,
  input: z.strictObject({}),
  output: z.strictObject({ secrets: z.array(z.strictObject(row)) }),
  example: {},
  async handler({ engine, caller }) {
    const { listSecrets } = await import('../../webhook/secret.ts');
    return { secrets: await listSecrets(engine, caller.role === 'admin' ? undefined : caller.name) };
  },
});

export const secretCreate = defineOperation({
  ...ofOwner,
  name: 'secret.create',
  summary: 'Create the secret that signs your webhooks; its text is shown only once',
  changes: true,
  input: z.strictObject({ owner }),
  output: z.strictObject({ ...row, secret: shownOnce }),
  example: {},
  async handler(context, { owner = context.caller.name }) {
    await checkUser(context, owner);
    const { createSecret } = await import('../../webhook/secret.ts');
    return createSecret(context.engine, owner);
  },
});

export const secretRotate = defineOperation({
  ...ofOwner,
  name: 'secret.rotate',
  summary: 'Replace the secret that signs your webhooks; the old secret also signs for a while',
  changes: true,
  input: z.strictObject({
    owner,
    overlapMs: z
      .int()
      .min(0)
      .max(30 * 24 * hourMs)
      .default(24 * hourMs)
      .describe('How long the old secret also signs; 0 if it has leaked'),
  }),
  output: z.strictObject({
    ...row,
    secret: shownOnce,
    previousEndsAt: z.number().describe('When the old one stops signing'),
  }),
  example: {},
  async handler(context, { owner = context.caller.name, overlapMs }) {
    await checkUser(context, owner);
    const { rotateSecret } = await import('../../webhook/secret.ts');
    return rotateSecret(context.engine, owner, overlapMs);
  },
});

export const secretDelete = defineOperation({
  ...ofOwner,
  name: 'secret.delete',
  summary: 'Delete the secrets that sign your webhooks, which are then unsigned',
  changes: true,
  input: z.strictObject({ owner }),
  output: done,
  example: {},
  async handler({ engine, caller }, { owner = caller.name }) {
    const { deleteSecrets, noSecret } = await import('../../webhook/secret.ts');
    if ((await deleteSecrets(engine.database.query, owner)) === 0) throw noSecret(owner);
    return {};
  },
});

/** A secret for a user who does not exist would pass to the first user created with that name. */
async function checkUser({ engine, caller }: OperationContext, owner: string): Promise<void> {
  const { installationOwner } = await import('../../webhook/secret.ts');
  if (owner === caller.name || owner === installationOwner) return;
  const account = await engine.database.query
    .selectFrom('account')
    .select('name')
    .where('name', '=', owner)
    .executeTakeFirst();
  if (!account)
    throw new PismakError('not-found', `there is no user ${owner}; \`pismak user ls\` lists them`);
}

export const secretOperations = [secretList, secretCreate, secretRotate, secretDelete];
