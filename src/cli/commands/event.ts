import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface Event {
  kind: string;
  entity: string;
  user: string | null;
  at: number;
  dimensions: Record<string, string | number>;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'ls',
    'List the latest events, oldest first',
    'event ls',
    'event ls --kind worker.assigned --limit 20',
  )
    .option('--kind <kind>', 'only these')
    .option('--limit <number>', 'at most so many, the latest (default: 100)', wholeNumber)
    .action(
      run<{ kind?: string; limit?: number }>(async ({ client, out, options }) => {
        const { kind, limit } = options;
        const { events } = await (await client()).call<{ events: Event[] }>('event.ls', { kind, limit });
        out.list(
          events,
          [
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
          'no events',
        );
      }),
    );
};
export default add;
