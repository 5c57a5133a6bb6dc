import { z } from 'zod';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { accountName, role } from './accounts.ts';
import { newPassword } from './password.ts';
import { openSession } from './sessions.ts';
import { claimSetup } from './setup.ts';

export const setupClaim = defineOperation({
  name: 'setup.claim',
  summary:
    'Create the first administrator, with the one-time token that pismak printed when it started, and sign in',
  role: 'public',
  owner: 'none',
  changes: true,
  input: z.strictObject({ token: z.string().max(100), name: accountName, password: newPassword }),
  output: z.object({
    name: z.string(),
    role,
    expiresAt: z.number(),
    token: z.string().optional().describe('Absent from HTTP answers, where the cookie carries it'),
  }),
  example: { token: 'from-the-link', name: 'anna', password: 'correct horse battery' },
  secrets: ['token', 'password'],
  async handler({ engine, caller: { address } }, input) {
    await claimSetup(engine, input);
    const session = await openSession(engine, { name: input.name, role: 'admin', address });
    engine.changes.add({ kind: 'session', entity: session.name, owner: session.name });
    return session;
  },
});

export const setupOperations: Operation[] = [setupClaim];
