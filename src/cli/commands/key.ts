import { keyCreate, keyList, keyRevoke } from '../../server/access/key-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
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
      { title: 'revoked', of: (row) => formatTime(row.revokedAt) },
    ],
  });

  command(keyCreate, {
    usage: 'create <purpose>',
    examples: ['key create collector --owner anna --scopes results.,queue.ls'],
    show(made, { out }) {
      out.object(made, { key: made.key, id: made.id, role: made.role, scopes: made.scopes.join(',') });
      out.say('Save the key now: it is not shown again');
    },
  });

  command(keyRevoke, { usage: 'revoke <id>', say: (_, { id }) => `key ${id} is revoked` });
};
export default add;
