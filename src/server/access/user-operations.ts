import { z } from 'zod';
import type { Engine } from '../../engine/composition/engine.ts';
import type { Caller } from '../../engine/ground/caller.ts';
import { hasCode, PismakError } from '../../engine/ground/errors.ts';
import { sayRefusal } from '../../engine/ground/refusals.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import { base } from '../../engine/operation/operations/inputs.ts';
import { deleteSecrets } from '../../engine/webhook/secret.ts';
import {
  accountExists,
  accountName,
  changeAccount,
  createAccount,
  deleteAccount,
  listAccounts,
  role,
  setAccount,
  unknownUser,
} from './accounts.ts';
import { endKeys } from './keys.ts';
import { hashPassword, newPassword } from './password.ts';
import { deleteResetToken, newResetToken, useResetToken } from './password-reset.ts';
import { deleteViews } from './saved-views.ts';
import { endSessions, openSession } from './sessions.ts';
import { checkPassword } from './sign-in.ts';

const nothing = z.strictObject({});
const ofUser = z.strictObject({ name: z.string() });
const change = ofUser.extend({ base });
const account = z.object({
  name: z.string(),
  role,
  disabled: z.boolean(),
  mayPrioritise: z.boolean().describe('May send work ahead of other users; administrators always may'),
  createdAt: z.number(),
  version: z.int().describe('Grows when an administrator changes role, right or state'),
  changedAt: z.number().nullable(),
  changedBy: z.string().nullable().describe('Null: not changed since it was created'),
});

/** Shared by the operations with which an administrator changes one user. */
const administration = {
  ...({ role: 'admin', owner: 'none', changes: true } as const),
  input: ofUser,
  output: nothing,
  example: { name: 'anna' },
};

export const userList = defineOperation({
  name: 'user.ls',
  summary: 'List the users',
  role: 'admin',
  owner: 'none',
  changes: false,
  input: nothing,
  output: z.object({ users: z.array(account) }),
  example: {},
  handler: async ({ engine }) => ({ users: await listAccounts(engine.database) }),
});

export const userCreate = defineOperation({
  name: 'user.create',
  summary: 'Create a user who can sign in with a password',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    name: accountName,
    password: newPassword,
    role: role.default('user'),
    takeOver: z
      .boolean()
      .default(false)
      .describe(
        'Give the new user the remaining data of a deleted user of this name; without this, such a name is refused',
      ),
  }),
  output: z.object({ name: z.string(), role }),
  example: { name: 'anna', password: 'correct horse battery', role: 'user' },
  secrets: ['password'],
  async handler({ engine }, input) {
    await createAccount(engine, input);
    return { name: input.name, role: input.role };
  },
});

export const userPassword = defineOperation({
  name: 'user.password',
  summary:
    'Change a password and end the other sessions and keys of the user; to change your own, give the current one',
  role: 'reader',
  owner: async ({ engine, caller }, { name = caller.name }) =>
    (await accountExists(engine.database.query, name)) ? name : undefined,
  changes: true,
  input: z.strictObject({
    name: z.string().optional().describe('The user; you by default'),
    current: z.string().max(1000).optional(),
    password: newPassword,
    keepKeys: z.boolean().default(false).describe('Let the keys of the user stay valid'),
  }),
  output: z.object({ sessions: z.int(), keys: z.int() }).describe('How many ended'),
  example: { current: 'correct horse battery', password: 'staple correct horse' },
  secrets: ['password', 'current'],
  async handler({ engine, caller }, { name = caller.name, current, password, keepKeys }) {
    if (name === caller.name) await checkCurrent(engine, caller, current);
    const passwordHash = await hashPassword(password);
    const ended = { sessions: 0, keys: 0 };
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ passwordHash }).where('name', '=', name).execute();
      await deleteResetToken(transaction, name);
      ended.sessions = await endSessions(transaction, name, caller);
      // Somebody who knew the old password may have created keys.
      if (!keepKeys) ended.keys = await endKeys(transaction, name, engine.clock.now(), caller);
    });
    return ended;
  },
});

export const userReset = defineOperation({
  name: 'user.reset',
  summary: 'Make a one-time link with which a user chooses a new password; it is shown only once',
  ...administration,
  output: z.object({
    name: z.string(),
    token: z.string().describe('The link is /console/reset#NAME/TOKEN; a new token replaces this one'),
    expiresAt: z.number(),
  }),
  handler: async ({ engine }, { name }) => ({ name, ...(await newResetToken(engine, name)) }),
});

export const userRecover = defineOperation({
  name: 'user.recover',
  summary:
    'Choose a new password with the one-time link of an administrator, and sign in; other sessions and keys end',
  role: 'public',
  owner: 'none',
  changes: true,
  input: z.strictObject({
    name: accountName,
    token: z.string().max(100),
    password: newPassword,
    keepKeys: z.boolean().default(false).describe('Let your keys stay valid'),
  }),
  output: z.object({
    name: z.string(),
    role,
    expiresAt: z.number(),
    token: z.string().optional().describe('Absent from HTTP answers, where the cookie carries it'),
  }),
  example: { name: 'anna', token: 'from-the-link', password: 'staple correct horse' },
  secrets: ['token', 'password'],
  async handler({ engine, caller: { address } }, input) {
    const role = await useResetToken(engine, input);
    const session = await openSession(engine, { name: input.name, role, address });
    engine.changes.add({ kind: 'session', entity: session.name, owner: session.name });
    return session;
  },
});

export const userRole = defineOperation({
  name: 'user.role',
  summary: 'Change the role of a user; it applies to open sessions and keys at once',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: ofUser.extend({ role, base }),
  output: z.object({ name: z.string(), role, version: z.int() }),
  example: { name: 'anna', role: 'reader' },
  async handler({ engine, caller }, { name, role, base }) {
    const version = await setAccount(engine, name, { by: caller.name, base }, { role });
    return { name, role, version };
  },
});

export const userSet = defineOperation({
  name: 'user.set',
  summary: 'Grant or revoke the right to send work ahead of other users, with immediate effect',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: ofUser.extend({
    priority: z.enum(['yes', 'no']).describe('Whether the user may set a priority of 1 or more'),
    base,
  }),
  output: z.object({ name: z.string(), mayPrioritise: z.boolean(), version: z.int() }),
  example: { name: 'anna', priority: 'yes' },
  async handler({ engine, caller }, { name, priority, base }) {
    const mayPrioritise = priority === 'yes' ? 1 : 0;
    const version = await setAccount(engine, name, { by: caller.name, base }, { mayPrioritise });
    return { name, mayPrioritise: mayPrioritise === 1, version };
  },
});

export const userDisable = defineOperation({
  name: 'user.disable',
  summary: 'Disable a user: sessions end, and keys stop working until the user is enabled again',
  ...administration,
  input: change,
  async handler({ engine, caller }, { name, base }) {
    await disableAccount(engine, name, { by: caller.name, base });
    return {};
  },
});

export const userEnable = defineOperation({
  name: 'user.enable',
  summary: 'Enable a disabled user',
  ...administration,
  input: change,
  async handler({ engine, caller }, { name, base }) {
    await setAccount(engine, name, { by: caller.name, base }, { disabled: 0 });
    return {};
  },
});

export const userDelete = defineOperation({
  name: 'user.delete',
  summary:
    'Delete a user with all sessions, keys, webhook secrets and records about the user; data that the user owns stays, and the name is retired',
  ...administration,
  input: ofUser.extend({
    keep: z
      .array(z.string().max(40))
      .max(20)
      .default([])
      .describe('Houses that keep their records about the user'),
  }),
  async handler({ engine, caller, signal }, { name, keep }) {
    const erasures = await erasuresOf(engine, name, keep);
    if (erasures.length > 0) {
      // Stop new records first. If anything fails, the user stays disabled and can be deleted again.
      await disableAccount(engine, name, { by: caller.name, base: undefined });
      for (const erase of erasures) await erase(signal);
    }
    await deleteAccount(engine, name, caller.name, async (transaction) => {
      await endSessions(transaction, name);
      await transaction.deleteFrom('apiKey').where('owner', '=', name).execute();
      await deleteSecrets(transaction, name);
      await deleteViews(transaction, name);
      await deleteResetToken(transaction, name);
    });
    return {};
  },
});

async function disableAccount(
  engine: Engine,
  name: string,
  change: { by: string; base: number | undefined },
): Promise<void> {
  await setAccount(engine, name, change, { disabled: 1 }, (transaction) => endSessions(transaction, name));
}

/** Collects what houses erase with this user. Nothing has changed yet, so a house may still refuse. */
async function erasuresOf(engine: Engine, name: string, keep: readonly string[]) {
  const recording = engine.houses.flatMap(({ name: house, forgetUser }) =>
    forgetUser ? [{ house, forgetUser }] : [],
  );
  const unknown = keep.find((kept) => !recording.some(({ house }) => house === kept));
  if (unknown !== undefined) {
    const names = recording.map(({ house }) => house).join(', ') || 'none';
    throw new PismakError(
      'invalid-input',
      `keep: ${unknown} records nothing about users; these do: ${names}`,
    );
  }
  if (!(await accountExists(engine.database.query, name))) throw unknownUser(name);
  const forgetting = recording.filter(({ house }) => !keep.includes(house));
  return Promise.all(forgetting.map(({ forgetUser }) => forgetUser(engine, name)));
}

/** The limits on failed sign-ins apply here too. */
async function checkCurrent(engine: Engine, { name, address }: Caller, current = ''): Promise<void> {
  const row = await engine.database.query
    .selectFrom('account')
    .select('passwordHash')
    .where('name', '=', name)
    .executeTakeFirst();
  if (!row) throw unknownUser(name);
  try {
    await checkPassword(engine, { name, account: name, address }, current, row.passwordHash);
  } catch (error) {
    if (!hasCode(error, 'not-signed-in')) throw error;
    throw new PismakError('forbidden', sayRefusal('refused.current-password', {}), { cause: error });
  }
}

export const userOperations: Operation[] = [
  userList,
  userCreate,
  userPassword,
  userReset,
  userRecover,
  userRole,
  userSet,
  userDisable,
  userEnable,
  userDelete,
];
