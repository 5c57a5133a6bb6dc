import { z } from 'zod';
import { PismakError } from '../../engine/ground/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { role } from './accounts.ts';
import {
  endSession,
  endSessionById,
  endSessions,
  listSessions,
  sessionHashOf,
  sessionId,
  sessionUser,
} from './sessions.ts';
import { signIn } from './sign-in.ts';

export const sessionLogin = defineOperation({
  name: 'session.login',
  summary: 'Sign in with name and password; over HTTP the session is a cookie',
  role: 'public',
  owner: 'none',
  changes: true,
  // `signIn` records it, with the user as the actor and failures in few rows.
  audited: false,
  input: z.strictObject({ name: z.string().max(100), password: z.string().max(1000) }),
  output: z.object({
    name: z.string(),
    role,
    expiresAt: z.number(),
    token: z.string().optional().describe('Absent from HTTP answers, where the cookie carries it'),
  }),
  example: { name: 'anna', password: 'correct horse battery' },
  secrets: ['password'],
  async handler({ engine, caller: { address } }, input) {
    const session = await signIn(engine, { ...input, address });
    engine.changes.add({ kind: 'session', entity: session.name, owner: session.name });
    return session;
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

export const sessionList = defineOperation({
  name: 'session.ls',
  summary: 'List your open sessions; administrators see those of all users',
  role: 'reader',
  owner: 'caller',
  changes: false,
  input: z.strictObject({
    user: z.string().max(100).optional().describe('Only sessions of this user'),
  }),
  output: z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        user: z.string(),
        address: z.string().describe('Address from which the session was opened'),
        createdAt: z.number(),
        lastUsedAt: z.number().nullable().describe('Accurate to an hour; null: not since its first hour'),
        expiresAt: z.number(),
        current: z.boolean().describe('The session of this call'),
      }),
    ),
  }),
  example: {},
  async handler({ engine, caller }, { user }) {
    const isAdmin = caller.role === 'admin';
    // Report other users' sessions as not found.
    if (!isAdmin && user !== undefined && user !== caller.name) return { sessions: [] };
    const own = sessionHashOf(caller);
    const current = own === undefined ? undefined : sessionId(own);
    const sessions = await listSessions(engine, isAdmin ? user : caller.name);
    return { sessions: sessions.map((session) => ({ ...session, current: session.id === current })) };
  },
});

export const sessionEnd = defineOperation({
  name: 'session.end',
  summary: 'End a session, or all your other sessions; administrators can end all sessions of a user',
  role: 'reader',
  owner: async ({ engine, caller }, { id, user }) =>
    id === undefined ? (user ?? caller.name) : sessionUser(engine.database.query, id),
  changes: true,
  input: z
    .strictObject({
      id: z
        .string()
        .max(100)
        .optional()
        .describe('From session.ls; by default all sessions except the one of this call'),
      user: z.string().max(100).optional().describe('Owner of the sessions; you by default'),
    })
    .refine(({ id, user }) => id === undefined || user === undefined, 'give either an id or a user'),
  output: z.strictObject({ ended: z.int() }),
  example: { id: '3f9a0c47d1e7a529' },
  async handler({ engine, caller }, { id, user = caller.name }) {
    const queries = engine.database.query;
    const whose = id === undefined ? user : await endSessionById(queries, id);
    if (whose === undefined) {
      throw new PismakError('not-found', `there is no session ${id}; \`pismak session ls\` lists them`);
    }
    const ended = id === undefined ? await endSessions(queries, whose, caller) : 1;
    engine.changes.add({ kind: 'session', entity: whose, owner: whose });
    return { ended };
  },
});

export const sessionOperations: Operation[] = [sessionLogin, sessionLogout, sessionList, sessionEnd];
