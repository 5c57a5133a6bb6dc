import type { MessageRow } from '../../engine/operation/operations/message-row.ts';
import type { QueueRow } from '../../engine/operation/operations/rows.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { formatBytes, formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';
import { queueColumns } from './queue-columns.ts';

const messageColumns: Column<MessageRow>[] = [
  { title: 'id', of: (row) => row.id },
  { title: 'lane', of: (row) => row.lane },
  { title: 'state', of: (row) => row.state },
  { title: 'attempt', of: (row) => row.attempt },
  { title: 'published', of: (row) => formatTime(row.publishedAt) },
  { title: 'size', of: (row) => formatBytes(row.size), align: 'right' },
  { title: 'stages', of: (row) => row.request?.stages.join(', ') ?? 'not a request' },
];
const reason: Column<MessageRow> = { title: 'reason', of: (row) => row.history.at(-1)?.reason };

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List queues and what waits in them', 'queue ls', 'queue ls --json').action(
    run(async ({ client, out, clock }) => {
      const { queues } = await (await client()).call<{ queues: QueueRow[] }>('queue.ls');
      out.list(queues, queueColumns(clock.now()));
    }),
  );

  for (const [verb, summary, columns] of [
    ['peek', 'Look at what waits, in the order of delivery, without taking it', messageColumns],
    [
      'dead',
      'List dead letters and why they died, oldest first',
      [...messageColumns.slice(0, 1), reason, ...messageColumns.slice(3)],
    ],
  ] as const) {
    command(
      group,
      `${verb} <queue>`,
      summary,
      `queue ${verb} recognise`,
      `queue ${verb} recognise --limit 5 --json`,
    )
      .option('--offset <number>', 'leave out the first ones', wholeNumber)
      .option('--limit <number>', 'show at most so many', wholeNumber)
      .action(
        run<{ offset?: number; limit?: number }>(async ({ client, out, options }, queue) => {
          const { offset, limit } = options;
          const { messages } = await (await client()).call<{ messages: MessageRow[] }>(`queue.${verb}`, {
            queue,
            offset,
            limit,
          });
          out.list(messages, columns, verb === 'dead' ? 'no dead letters' : 'nothing waits');
        }),
      );
  }

  for (const [verb, done, summary] of [
    ['pause', 'is paused', 'Let a queue start no more messages; it goes on accepting them'],
    ['resume', 'goes on', 'Let a paused queue go on'],
  ] as const) {
    command(group, `${verb} <queue>`, summary, `queue ${verb} recognise`).action(
      run(async ({ client, out }, queue) => {
        await (await client()).call(`queue.${verb}`, { queue });
        out.say(`queue ${queue} ${done}`);
      }),
    );
  }

  command(
    group,
    'purge <queue>',
    'Delete what waits; what is being processed goes on',
    'queue purge recognise --yes',
  )
    .requiredOption('--yes', 'needed, because it can not be undone')
    .action(
      run(async ({ client, out }, queue) => {
        const { count } = await (await client()).call<{ count: number }>('queue.purge', { queue });
        out.say(`${formatCount(count, 'message')} deleted from ${queue}`);
      }),
    );

  for (const [verb, done, summary] of [
    [
      'redrive',
      'given back to',
      'Give dead letters (all, or those ids) back to their queue to be tried anew',
    ],
    ['discard', 'deleted from', 'Delete dead letters (all, or those ids)'],
  ] as const) {
    command(
      group,
      `${verb} <queue> [ids...]`,
      summary,
      `queue ${verb} recognise`,
      `queue ${verb} recognise 0190.../2`,
    ).action(
      run(async ({ client, out }, queue: string, ids: string[]) => {
        const which = ids.length > 0 ? { ids } : {};
        const { count } = await (await client()).call<{ count: number }>(`queue.${verb}`, {
          queue,
          ...which,
        });
        out.say(`${formatCount(count, 'dead letter')} ${done} ${queue}`);
      }),
    );
  }
};
export default add;
