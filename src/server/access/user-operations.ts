import { z } from 'zod';
import type { Queries } from '../../engine/database/database.ts';
import { PismakError } from '../../engine/errors.ts';
import { defineOperation, type Operation } from '../../engine/operation/operation.ts';
import {
  accountExists,
  accountName,
  changeAccount,
  createAccount,
  listAccounts,
  role,
  unknownUser,
} from './accounts.ts';
import { hashPassword, newPassword, passwordMatches } from './password.ts';
import { endSessions } from './sessions.ts';

const nothing = z.strictObject({});
const ofUser = z.strictObject({ name: z.string() });
const account = z.object({
  name: z.string(),
  role,
  disabled: z.boolean(),
  mayPrioritise: z.boolean().describe('May send work before that of others; administrators may anyway'),
  createdAt: z.number(),
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
  input: z.strictObject({ name: accountName, password: newPassword, role: role.default('user') }),
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
    'Change a password and end the other sessions of the user; to change your own, give the current one',
  role: 'reader',
  owner: async ({ engine, caller }, { name = caller.name }) =>
    (await accountExists(engine.database.query, name)) ? name : undefined,
  changes: true,
  input: z.strictObject({
    name: z.string().optional().describe('The user; you by default'),
    current: z.string().max(1000).optional(),
    password: newPassword,
  }),
  output: nothing,
  example: { current: 'correct horse battery', password: 'staple correct horse' },
  secrets: ['password', 'current'],
  async handler({ engine, caller }, { name = caller.name, current, password }) {
    if (name === caller.name) await checkCurrent(engine.database.query, name, current);
    const passwordHash = await hashPassword(password);
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ passwordHash }).where('name', '=', name).execute();
      await endSessions(transaction, name, caller);
    });
    return {};
  },
});

export const userRole = defineOperation({
  name: 'user.role',
  summary: 'Change the role of a user; open sessions and keys follow at once',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: ofUser.extend({ role }),
  output: z.object({ name: z.string(), role }),
  example: { name: 'anna', role: 'reader' },
  async handler({ engine }, { name, role }) {
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ role }).where('name', '=', name).execute();
    });
    return { name, role };
  },
});

export const userSet = defineOperation({
  name: 'user.set',
  summary: 'Give a user the right to send work before that of others, or take it away; it works at once',
  role: 'admin',
  owner: 'none',
  changes: true,
  input: ofUser.extend({
    priority: z.enum(['yes', 'no']).describe('Whether the user may set a priority of 1 or more'),
  }),
  output: z.object({ name: z.string(), mayPrioritise: z.boolean() }),
  example: { name: 'anna', priority: 'yes' },
  async handler({ engine }, { name, priority }) {
    const mayPrioritise = priority === 'yes' ? 1 : 0;
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ mayPrioritise }).where('name', '=', name).execute();
    });
    return { name, mayPrioritise: mayPrioritise === 1 };
  },
});

export const userDisable = defineOperation({
  name: 'user.disable',
  summary: 'Disable a user: sessions end, and keys stop working until the user is enabled again',
  ...administration,
  async handler({ engine }, { name }) {
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ disabled: 1 }).where('name', '=', name).execute();
      await endSessions(transaction, name);
    });
    return {};
  },
});

export const userEnable = defineOperation({
  name: 'user.enable',
  summary: 'Enable a disabled user',
  ...administration,
  async handler({ engine }, { name }) {
    await changeAccount(engine, name, async (transaction) => {
      await transaction.updateTable('account').set({ disabled: 0 }).where('name', '=', name).execute();
    });
    return {};
  },
});

export const userDelete = defineOperation({
  name: 'user.delete',
  summary:
    'Delete a user with all sessions and keys; what the user owns stays, and a new user of that name would own it',
  ...administration,
  async handler({ engine }, { name }) {
    await changeAccount(engine, name, async (transaction) => {
      await endSessions(transaction, name);
      // Deleted, because a later user of the same name must not inherit them.
      await transaction.deleteFrom('apiKey').where('owner', '=', name).execute();
      await transaction.deleteFrom('account').where('name', '=', name).execute();
    });
    return {};
  },
});

async function checkCurrent(queries: Queries, name: string, current = ''): Promise<void> {
  const row = await queries
    .selectFrom('account')
    .select('passwordHash')
    .where('name', '=', name)
    .executeTakeFirst();
  if (!row) throw unknownUser(name);
  if (!(await passwordMatches(current, row.passwordHash))) {
    throw new PismakError('forbidden', 'the current password is wrong or missing');
  }
}

export const userOperations: Operation[] = [
  userList,
  userCreate,
  userPassword,
  userRole,
  userSet,
  userDisable,
  userEnable,
  userDelete,
];
