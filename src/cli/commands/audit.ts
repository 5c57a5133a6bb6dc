import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface Entry {
  id: string;
  at: number;
  actor: string;
  operation: string;
  input: unknown;
  outcome: string;
  address: string;
}

interface Options {
  operation?: string;
  actor?: string;
  before?: string;
  limit?: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'ls',
    'List who changed what, newest first',
    'audit ls',
    'audit ls --actor anna --operation stage.delete',
  )
    .option('--operation <name>', 'only this operation')
    .option('--actor <user>', 'only this user')
    .option('--before <id>', 'only what is older than this entry')
    .option('--limit <number>', 'at most so many (default: 100)', wholeNumber)
    .action(
      run<Options>(async ({ client, out, options }) => {
        const { operation, actor, before, limit } = options;
        const wanted = { operation, actor, before, limit };
        const { entries } = await (await client()).call<{ entries: Entry[] }>('audit.ls', wanted);
        out.list(entries, [
          { title: 'at', of: (row) => formatTime(row.at) },
          { title: 'who', of: (row) => row.actor },
          { title: 'operation', of: (row) => row.operation },
          { title: 'outcome', of: (row) => row.outcome },
          { title: 'from', of: (row) => row.address },
          { title: 'input', of: (row) => JSON.stringify(row.input) },
        ]);
      }),
    );
};
export default add;
