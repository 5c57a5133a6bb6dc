import type { AddGroup } from '../../terminal/command-group.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface Alert {
  kind: string;
  entity: string;
  reason: string;
  raisedAt: number;
  clearedAt: number | null;
  seen: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List what is wrong now', 'alert ls', 'alert ls --all --json')
    .option('--all', 'also what is over')
    .action(
      run<{ all?: boolean }>(async ({ client, out, options }) => {
        const { alerts } = await (await client()).call<{ alerts: Alert[] }>('alert.ls', {
          all: options.all ?? false,
        });
        out.list(
          alerts,
          [
            { title: 'raised', of: (row) => formatTime(row.raisedAt) },
            { title: 'cleared', of: (row) => formatTime(row.clearedAt) },
            { title: 'alert', of: (row) => row.kind },
            { title: 'about', of: (row) => row.entity },
            { title: 'times', of: (row) => row.seen },
            { title: 'reason', of: (row) => row.reason },
          ],
          'no alerts',
        );
      }),
    );
};
export default add;
