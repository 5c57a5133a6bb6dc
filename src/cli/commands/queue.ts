import type { MessageRow } from '../../engine/operation/operations/message-row.ts';
import {
  queueDead,
  queueDelete,
  queueDiscard,
  queueList,
  queuePause,
  queuePeek,
  queuePurge,
  queueRedrive,
  queueResume,
} from '../../engine/operation/operations/queue.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatBytes, formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';
import { queueColumns } from './queue-columns.ts';

const id: Column<MessageRow> = { title: 'id', of: (row) => row.id };
const reason: Column<MessageRow> = { title: 'reason', of: (row) => row.history.at(-1)?.reason };
const waiting: Column<MessageRow>[] = [
  { title: 'lane', of: (row) => row.lane },
  { title: 'state', of: (row) => row.state },
];
const about: Column<MessageRow>[] = [
  { title: 'attempt', of: (row) => row.attempt },
  { title: 'published', of: (row) => formatTime(row.publishedAt) },
  { title: 'size', of: (row) => formatBytes(row.size), align: 'right' },
  { title: 'stages', of: (row) => row.request?.stages.join(', ') ?? 'not a request' },
];

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(queueList, { usage: 'ls', columns: ({ clock }) => queueColumns(clock.now()) });
  command(queuePeek, { usage: 'peek <queue>', columns: [id, ...waiting, ...about], empty: 'nothing waits' });
  command(queueDead, { usage: 'dead <queue>', columns: [id, reason, ...about], empty: 'no dead letters' });
  command(queuePause, { usage: 'pause <queue>', say: (_, { queue }) => `queue ${queue} is paused` });
  command(queueResume, { usage: 'resume <queue>', say: (_, { queue }) => `queue ${queue} is resumed` });
  command(queuePurge, {
    usage: 'purge <queue>',
    confirm: 'required, because this can’t be undone',
    say: ({ count }, { queue }) => `${formatCount(count, 'message')} deleted from ${queue}`,
  });
  command(queueRedrive, {
    usage: 'redrive <queue> [ids...]',
    say: ({ count }, { queue }) => `${formatCount(count, 'dead letter')} returned to ${queue}`,
  });
  command(queueDiscard, {
    usage: 'discard <queue> [ids...]',
    say: ({ count }, { queue }) => `${formatCount(count, 'dead letter')} deleted from ${queue}`,
  });
  command(queueDelete, {
    usage: 'delete <queue>',
    say: ({ results }, { queue }) => `queue ${queue} is deleted, with ${formatCount(results, 'result')}`,
  });
};
export default add;
