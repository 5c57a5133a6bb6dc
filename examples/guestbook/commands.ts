import type { AddGroup } from '../../src/terminal/command-group.ts';
import { operationCommands } from '../../src/terminal/operation-command.ts';
import { formatTime } from '../../src/terminal/output/format.ts';
import { guestbookList, guestbookSign } from './operations.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  command(guestbookSign, { usage: 'sign <text>', say: () => 'signed' });
  command(guestbookList, {
    usage: 'ls',
    columns: [
      { title: 'text', of: (row) => row.text },
      { title: 'owner', of: (row) => row.owner },
      { title: 'signed', of: (row) => formatTime(row.createdAt) },
    ],
    empty: 'nobody has signed yet',
  });
};
export default add;
