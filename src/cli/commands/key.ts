import type { AddGroup } from '../../terminal/command-group.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface Key {
  id: string;
  name: string;
  owner: string;
  role: string;
  scopes: string[];
  createdAt: number;
  lastUsedAt: number | null;
  uses: number;
  revokedAt: number | null;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List keys', 'key ls', 'key ls --json').action(
    run(async ({ client, out }) => {
      const { keys } = await (await client()).call<{ keys: Key[] }>('key.ls');
      out.list(keys, [
        { title: 'id', of: (row) => row.id },
        { title: 'for', of: (row) => row.name },
        { title: 'owner', of: (row) => row.owner },
        { title: 'role', of: (row) => row.role },
        { title: 'scopes', of: (row) => row.scopes.join(',') },
        { title: 'uses', of: (row) => row.uses },
        { title: 'last used', of: (row) => formatTime(row.lastUsedAt) },
        { title: 'revoked', of: (row) => formatTime(row.revokedAt) },
      ]);
    }),
  );

  command(
    group,
    'create <purpose>',
    'Make a key for a program; it is shown this once',
    'key create "nightly upload" --owner anna --role user',
    'key create collector --scopes results.,queue.ls',
  )
    .option('--owner <user>', 'whose key it is')
    .option('--role <role>', 'reader, user or admin; not above the owner’s')
    .option(
      '--scopes <a,b>',
      'operations it may call; a name that ends with a dot stands for all that begin so',
      commaList,
    )
    .action(
      run<{ owner?: string; role?: string; scopes?: string[] }>(async ({ client, out, options }, name) => {
        const { owner, role, scopes } = options;
        type Made = { id: string; key: string; role: string; scopes: string[] };
        const made = await (await client()).call<Made>('key.create', { name, owner, role, scopes });
        if (out.json) return out.object(made);
        out.object(made, { key: made.key, id: made.id, role: made.role, scopes: made.scopes.join(',') });
        out.say('Keep the key now: it is not shown again');
      }),
    );

  command(
    group,
    'revoke <id>',
    'End a key for good',
    'key revoke 0197a0c4-7d1e-7a52-9c1e-2f6f0d3f8a11',
  ).action(
    run(async ({ client, out }, id) => {
      await (await client()).call('key.revoke', { id });
      out.say(`key ${id} is revoked`);
    }),
  );
};
export default add;
