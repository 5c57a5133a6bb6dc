import { auditList } from '../../server/access/audit-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  operationCommands(group, shell)(auditList, {
    usage: 'ls',
    examples: ['audit ls --actor anna --operation stage.delete'],
    columns: [
      { title: 'at', of: (row) => formatTime(row.at) },
      { title: 'who', of: (row) => row.actor },
      { title: 'operation', of: (row) => row.operation },
      { title: 'outcome', of: (row) => row.outcome },
      { title: 'from', of: (row) => row.address },
      { title: 'input', of: (row) => JSON.stringify(row.input) },
    ],
  });
};
export default add;
