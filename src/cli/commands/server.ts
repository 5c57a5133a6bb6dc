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
      { title: 'workers are told', of: (row) => row.announced },
    ],
  });
  command(serverSet, {
    usage: 'set <server> <url>',
    say: (_, { name }) => `workers are told the new address of ${name}`,
  });
};
export default add;
