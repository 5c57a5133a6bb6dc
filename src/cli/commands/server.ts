import { serverList, serverSet } from '../../engine/operation/operations/server.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(serverList, {
    usage: 'ls',
    columns: [
      { title: 'server', of: (row) => row.name },
      { title: 'this process uses', of: (row) => row.url },
      { title: 'announced to workers', of: (row) => row.announced },
    ],
  });
  command(serverSet, {
    usage: 'set <server> <url>',
    say: (_, { name }) => `the new address of ${name} is announced to the workers`,
  });
};
export default add;
