import { viewDelete, viewList, viewSet } from '../../server/access/view-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(viewList, {
    usage: 'ls',
    columns: [
      { title: 'page', of: (row) => row.page },
      { title: 'name', of: (row) => row.name },
      { title: 'address', of: (row) => row.address },
      { title: 'changed', of: (row) => formatTime(row.changedAt) },
    ],
    empty: 'no saved views',
  });
  command(viewSet, {
    usage: 'set <page> <name> <address>',
    say: (_, { page, name }) => `view ${name} of ${page} is saved`,
  });
  command(viewDelete, {
    usage: 'delete <page> <name>',
    say: (_, { page, name }) => `view ${name} of ${page} is deleted`,
  });
};
export default add;
