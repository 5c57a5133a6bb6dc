import { keyCreate, keyList, keyRevoke } from '../../server/access/key-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { duration } from '../../terminal/options/duration.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(keyList, {
    usage: 'ls',
    columns: [
      { title: 'id', of: (row) => row.id },
      { title: 'for', of: (row) => row.name },
      { title: 'owner', of: (row) => row.owner },
      { title: 'role', of: (row) => row.role },
      { title: 'scopes', of: (row) => row.scopes.join(',') },
      { title: 'uses', of: (row) => row.uses },
      { title: 'last used', of: (row) => formatTime(row.lastUsedAt) },
      { title: 'expires', of: (row) => formatTime(row.expiresAt) },
      { title: 'revoked', of: (row) => formatTime(row.revokedAt) },
    ],
  });

  command(keyCreate, {
    usage: 'create <purpose>',
    examples: ['key create collector --owner anna --scopes results.,queue.ls --expires 90d'],
    fields: {
      expiresInMs: {
        flags: '--expires <duration>',
        about: 'How long the key is valid, such as 90d; unlimited by default',
        read: duration,
      },
    },
    show(made, { out }) {
      const { key, id, role, scopes, expiresAt } = made;
      const expires = expiresAt === null ? 'never' : formatTime(expiresAt);
      out.object(made, { key, id, role, scopes: scopes.join(','), expires });
      out.say('Save the key now: it is not shown again');
    },
  });

  command(keyRevoke, { usage: 'revoke <id>', say: (_, { id }) => `key ${id} is revoked` });
};
export default add;
