import { sessionEnd, sessionList } from '../../server/access/session-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(sessionList, {
    usage: 'ls',
    examples: ['session ls --user anna'],
    columns: [
      { title: 'id', of: (row) => row.id },
      { title: 'user', of: (row) => row.user },
      { title: 'from', of: (row) => row.address },
      { title: 'opened', of: (row) => formatTime(row.createdAt) },
      { title: 'last used', of: (row) => formatTime(row.lastUsedAt) },
      { title: 'expires', of: (row) => formatTime(row.expiresAt) },
      { title: '', of: (row) => (row.current ? 'this one' : ' ') },
    ],
    empty: 'no open sessions',
  });
  command(sessionEnd, {
    usage: 'end [id]',
    examples: ['session end --user anna'],
    say: ({ ended }) => `${formatCount(ended, 'session')} ended`,
  });
};
export default add;
