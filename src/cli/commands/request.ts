import { requestFailed, requestShow } from '../../engine/operation/operations/failed-request.ts';
import { requestCancel } from '../../engine/operation/operations/request.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);
  command(requestCancel, { usage: 'cancel <uuid>', say: (_, { uuid }) => `request ${uuid} is cancelled` });
  command(requestFailed, {
    usage: 'failed',
    columns: [
      { title: 'uuid', of: (row) => row.uuid },
      { title: 'owner', of: (row) => row.owner },
      { title: 'stage', of: (row) => row.stage },
      { title: 'failed', of: (row) => formatTime(row.failedAt) },
      { title: 'went to', of: (row) => (row.outcome === 'dead' ? 'dead letters' : row.queue) },
      { title: 'reason', of: (row) => row.reason },
    ],
    empty: 'no request failed within the last 7 days',
  });
  command(requestShow, { usage: 'show <uuid>' });
};
export default add;
