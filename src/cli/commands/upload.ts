import { uploadDelete, uploadList } from '../../engine/operation/operations/upload.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatBytes, formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(uploadList, {
    usage: 'ls',
    columns: [
      { title: 'id', of: (row) => row.upload },
      { title: 'state', of: (row) => row.state },
      { title: 'arrived', of: (row) => formatBytes(row.offset) },
      { title: 'since', of: (row) => formatTime(row.createdAt) },
    ],
  });
  command(uploadDelete, {
    usage: 'delete <upload>',
    say: (_, { upload }) => `upload ${upload} is deleted`,
  });
};
export default add;
