import { PismakError } from '../../engine/ground/errors.ts';
import { historyList, historyShow } from '../../engine/operation/operations/history.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { type Moment, moment } from '../../terminal/options/moment.ts';

interface Options {
  from?: Moment;
  to?: Moment;
}

const dayMs = 86_400_000;
const columns = 60;

const add: AddGroup = (group, shell) => {
  operationCommands(group, shell)(historyList, {
    usage: 'ls',
    columns: [
      { title: 'series', of: (row) => row.name },
      { title: 'kind', of: (row) => row.kind },
    ],
    empty: 'nothing has been recorded yet; the first values come after a minute',
  });
  shell
    .command(
      group,
      'show <series...>',
      'Show series over time; a * at the end means all names that begin so',
      'history show stage.finished/recognise',
      "history show 'queue.length/*' --from 2h",
      "history show 'queue.*' --from 30d --json",
    )
    .option('--from <time>', 'a time, or an age such as 2h (default: a day before the end)', moment)
    .option('--to <time>', 'end (default: now)', moment)
    .action(
      shell.run<Options, [string[]]>(async ({ client, clock, options, out }, series) => {
        const now = clock.now();
        const to = options.to?.(now) ?? now;
        const from = options.from?.(now) ?? to - dayMs;
        if (from >= to) throw new PismakError('invalid-input', '--from must be before --to');
        const limit = out.json ? 1500 : columns;
        const history = await (await client()).call(historyShow, { series, from, to, limit });
        if (out.json) return out.object(history);
        out.list(history.series, [
          { title: 'series', of: ({ name }) => name },
          {
            title: 'highest',
            of: ({ values, highest }) => String(Math.max(...(highest ?? values).map(Number))),
          },
          { title: 'last', of: ({ values }) => String(values.findLast((value) => value !== null) ?? '') },
          { title: '', of: ({ values }) => bars(values) },
        ]);
      }),
    );
};
export default add;

const blocks = [...' ▁▂▃▄▅▆▇█'];

/** One character for each step; a dot where nobody looked. */
function bars(values: readonly (number | null)[]): string {
  const most = Math.max(1, ...values.map(Number));
  return values
    .map((value) => (value === null ? '·' : blocks[Math.ceil((value / most) * (blocks.length - 1))]))
    .join('');
}
