import { z } from 'zod';
import { type Caller, defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';
import { endSession, sessionHashOf, signIn } from './sessions.ts';

export const sessionLogin = defineOperation({
  name: 'session.login',
  summary: 'Sign in with name and password; over HTTP the session is a cookie',
  role: 'public',
  owner: 'none',
  changes: true,
  input: z.strictObject({ name: z.string().max(100), password: z.string().max(1000) }),
  output: z.object({
    name: z.string(),
    role,
    expiresAt: z.number(),
    token: z.string().optional().describe('Never in an HTTP answer: there the cookie carries it'),
  }),
  example: { name: 'anna', password: 'correct horse battery' },
  secrets: ['password'],
  async handler({ engine }, { name, password }) {
    const told = (kind: string) =>
      engine.events.emit({ kind, entity: name, user: name, at: engine.clock.now() });
    try {
      const session = await signIn(engine, name, password);
      told('session.opened');
      return session;
    } catch (error) {
      // Not audited, because anybody could fill the disk with it. The log shows it.
      told('session.refused');
      engine.log.warn({ name: name.slice(0, 100) }, 'a sign-in was refused');
      throw error;
    }
  },
});

export const sessionLogout = defineOperation({
  name: 'session.logout',
  summary: 'Sign out: end the session of this call',
  role: 'reader',
  owner: 'caller',
  changes: true,
  input: z.strictObject({}),
  output: z.strictObject({}),
  example: {},
  async handler({ engine, caller }) {
    const tokenHash = sessionHashOf(caller);
    if (tokenHash !== undefined) {
      await endSession(engine.database.query, tokenHash);
      engine.changes.add({ kind: 'session', entity: caller.name, owner: caller.name });
    }
    return {};
  },
});

export const sessionShow = defineOperation({
  name: 'session.show',
  summary: 'Show who you are and what you may do',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({}),
  output: z.object({
    name: z.string(),
    role,
    scopes: z.array(z.string()),
    by: z.enum(['session', 'key', 'local']),
  }),
  example: {},
  handler: async ({ caller }) => ({
    name: caller.name,
    role: caller.role,
    scopes: [...(caller.scopes ?? ['*'])],
    by: signedInBy(caller),
  }),
});

function signedInBy({ credential }: Caller): 'session' | 'key' | 'local' {
  if (credential === undefined) return 'local';
  return credential.startsWith('key:') ? 'key' : 'session';
}

export const sessionOperations: Operation[] = [sessionLogin, sessionLogout, sessionShow];
