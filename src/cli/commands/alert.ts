import { alertList } from '../../engine/operation/operations/alert.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  operationCommands(group, shell)(alertList, {
    usage: 'ls',
    columns: [
      { title: 'raised', of: (row) => formatTime(row.raisedAt) },
      { title: 'cleared', of: (row) => formatTime(row.clearedAt) },
      { title: 'alert', of: (row) => row.kind },
      { title: 'about', of: (row) => row.entity },
      { title: 'times', of: (row) => row.seen },
      { title: 'reason', of: (row) => row.reason },
    ],
    empty: 'no alerts',
  });
};
export default add;
