import { z } from 'zod';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { accountName } from './accounts.ts';
import { newPassword } from './password.ts';
import { claimSetup } from './setup.ts';

export const setupClaim = defineOperation({
  name: 'setup.claim',
  summary: 'Create the first administrator, with the one-time token that pismak printed when it started',
  role: 'public',
  owner: 'none',
  changes: true,
  input: z.strictObject({ token: z.string().max(100), name: accountName, password: newPassword }),
  output: z.object({ name: z.string() }),
  example: { token: 'from-the-link', name: 'anna', password: 'correct horse battery' },
  secrets: ['token', 'password'],
  async handler({ engine }, input) {
    await claimSetup(engine, input);
    return { name: input.name };
  },
});

export const setupOperations: Operation[] = [setupClaim];
