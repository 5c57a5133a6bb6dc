import { eventList } from '../../engine/operation/operations/event.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  operationCommands(group, shell)(eventList, {
    usage: 'ls',
    columns: [
      { title: 'at', of: (row) => formatTime(row.at) },
      { title: 'event', of: (row) => row.kind },
      { title: 'about', of: (row) => row.entity },
      { title: 'user', of: (row) => row.user },
      {
        title: '',
        of: (row) =>
          Object.entries(row.dimensions)
            .map((pair) => pair.join('='))
            .join(' '),
      },
    ],
    empty: 'no events',
  });
};
export default add;
