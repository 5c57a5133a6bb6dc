import type { WorkerRow } from '../../engine/operation/operations/worker-rows.ts';
import { formatDuration } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';

/** The columns of every list of workers. */
export function workerColumns(now: number): Column<WorkerRow>[] {
  return [
    { title: 'worker', of: (row) => row.id },
    { title: 'state', of: (row) => row.state },
    { title: 'stage', of: stageOf },
    { title: 'busy', of: (row) => row.presence?.inFlight ?? 0 },
    { title: 'done', of: (row) => doneOf(row) },
    { title: 'labels', of: (row) => row.labels.join(',') },
    {
      title: 'heard',
      of: (row) => (row.presence ? formatDuration(now - row.presence.heartbeatAt) : '-'),
      align: 'right',
    },
    { title: '', of: (row) => notes(row) || ' ' },
  ];
}

function stageOf({ stage, presence }: WorkerRow): string | null {
  if (!presence || presence.stage === stage) return stage;
  return `${presence.stage ?? '-'} -> ${stage ?? '-'}`;
}

function doneOf({ presence }: WorkerRow): number {
  return Object.values(presence?.timings ?? {}).reduce((sum, { count }) => sum + count, 0);
}

function notes({ enabled, pinned, failure, leftAt, stop, presence }: WorkerRow): string {
  const hasLeft = presence === null && leftAt !== null;
  const isTold = presence !== null && stop === presence.life && stop !== undefined;
  return [
    hasLeft && 'left',
    isTold && 'stopping',
    !enabled && 'disabled',
    pinned && 'pinned',
    // What failed before it left in good order is of no use any more.
    !hasLeft && failure,
  ]
    .filter(Boolean)
    .join(', ');
}
