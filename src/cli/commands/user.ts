import type { AddGroup } from '../../terminal/command-group.ts';
import { formatTime } from '../../terminal/output/format.ts';
import { readPassword } from './read-password.ts';

interface User {
  name: string;
  role: string;
  disabled: boolean;
  createdAt: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List users', 'user ls', 'user ls --json').action(
    run(async ({ client, out }) => {
      const { users } = await (await client()).call<{ users: User[] }>('user.ls');
      out.list(users, [
        { title: 'user', of: (row) => row.name },
        { title: 'role', of: (row) => row.role },
        { title: 'created', of: (row) => formatTime(row.createdAt) },
        { title: '', of: (row) => (row.disabled ? 'disabled' : ' ') },
      ]);
    }),
  );

  command(
    group,
    'create <user>',
    'Make a user; the password is asked for, or read from the standard input',
    'user create anna --role admin',
    'user create robot --role user <password.txt',
  )
    .option('--role <role>', 'reader, user or admin', 'user')
    .action(
      run<{ role: string }>(async ({ client, out, options, stderr }, name) => {
        const password = await readPassword(`Password for ${name}: `, stderr);
        await (await client()).call('user.create', { name, role: options.role, password });
        out.say(`user ${name} may sign in as ${options.role}`);
      }),
    );

  command(
    group,
    'password <user>',
    'Change a password; open sessions of the user end',
    'user password anna',
  ).action(
    run(async ({ client, out, stderr }, name) => {
      const password = await readPassword(`New password for ${name}: `, stderr);
      await (await client()).call('user.password', { name, password });
      out.say(`the password of ${name} is changed`);
    }),
  );

  command(
    group,
    'role <user> <role>',
    'Change what a user may do: reader, user or admin',
    'user role anna reader',
  ).action(
    run(async ({ client, out }, name, role) => {
      await (await client()).call('user.role', { name, role });
      out.say(`user ${name} is ${role} now`);
    }),
  );

  for (const [verb, done, summary] of [
    ['disable', 'is shut out', 'Shut a user out: sessions end, keys stop working'],
    ['enable', 'may sign in again', 'Let a disabled user in again'],
    ['delete', 'is deleted', 'Delete a user with all sessions and keys; what the user owns stays'],
  ] as const) {
    command(group, `${verb} <user>`, summary, `user ${verb} anna`).action(
      run(async ({ client, out }, name) => {
        await (await client()).call(`user.${verb}`, { name });
        out.say(`user ${name} ${done}`);
      }),
    );
  }
};
export default add;
