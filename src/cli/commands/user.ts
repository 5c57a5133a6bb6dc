import {
  userCreate,
  userDelete,
  userDisable,
  userEnable,
  userList,
  userPassword,
  userReset,
  userRole,
  userSet,
} from '../../server/access/user-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { ifVersion } from '../../terminal/options/if-version.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import { readPassword as ask } from './read-password.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(userList, {
    usage: 'ls',
    columns: [
      { title: 'user', of: (row) => row.name },
      { title: 'role', of: (row) => row.role },
      { title: 'created', of: (row) => formatTime(row.createdAt) },
      {
        title: '',
        of: (row) =>
          [row.disabled && 'disabled', row.mayPrioritise && 'may set priority'].filter(Boolean).join(', ') ||
          ' ',
      },
    ],
  });
  command(userCreate, {
    usage: 'create <user>',
    summary: 'Create a user; the command asks for the password, or reads it from standard input',
    examples: ['user create robot --role user <password.txt'],
    fields: { password: false },
    complete: async ({ stderr }, { name }) => ({ password: await ask(`Password for ${name}: `, stderr) }),
    say: ({ role }, { name }) => `user ${name} may sign in as ${role}`,
  });
  command(userPassword, {
    usage: 'password <user>',
    summary: 'Change a password and end the sessions and keys of the user',
    examples: ['user password anna'],
    fields: { current: false, password: false },
    complete: async ({ stderr }, { name }) => ({
      password: await ask(`New password for ${name}: `, stderr),
    }),
    say: ({ keys }, { name }) =>
      `the password of ${name} has changed${keys > 0 ? `; ${formatCount(keys, 'key')} ended` : ''}`,
  });
  command(userReset, {
    usage: 'reset <user>',
    say: ({ token, expiresAt }, { name }) =>
      `with this one-time link ${name} chooses a new password, until ${formatTime(expiresAt)}: /console/reset#${name}/${token} at the address of Pismak`,
  });
  command(userRole, {
    usage: 'role <user> <role>',
    fields: { base: ifVersion },
    say: ({ name, role }) => `user ${name} now has the role ${role}`,
  });
  command(userSet, {
    usage: 'set <user>',
    fields: { base: ifVersion },
    say: ({ name, mayPrioritise }) =>
      mayPrioritise ? `user ${name} may set a priority` : `user ${name} may not set a priority`,
  });
  command(userDisable, {
    usage: 'disable <user>',
    fields: { base: ifVersion },
    say: (_, { name }) => `user ${name} is disabled`,
  });
  command(userEnable, {
    usage: 'enable <user>',
    fields: { base: ifVersion },
    say: (_, { name }) => `user ${name} may sign in again`,
  });
  command(userDelete, { usage: 'delete <user>', say: (_, { name }) => `user ${name} is deleted` });
};
export default add;
