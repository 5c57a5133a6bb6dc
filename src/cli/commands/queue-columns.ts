import type { QueueRow } from '../../engine/operation/operations/rows.ts';
import { formatDuration } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';

/** The columns of every list of queues. */
export function queueColumns(now: number): Column<QueueRow>[] {
  return [
    { title: 'queue', of: (row) => row.name },
    { title: 'kind', of: (row) => row.kind },
    { title: 'waiting', of: (row) => row.ready.high + row.ready.normal + row.backlog },
    { title: 'high', of: (row) => row.ready.high },
    { title: 'delayed', of: (row) => row.delayed },
    { title: 'busy', of: (row) => row.inFlight },
    { title: 'dead', of: (row) => row.dead },
    {
      title: 'oldest',
      of: (row) => (row.oldestAt === null ? '-' : formatDuration(now - row.oldestAt)),
      align: 'right',
    },
    { title: '', of: (row) => (row.broken !== undefined ? 'BROKEN' : row.paused ? 'paused' : ' ') },
  ];
}
