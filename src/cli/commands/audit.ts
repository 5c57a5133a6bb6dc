import { systemClock } from '../../engine/time/clock.ts';
import { auditExport, auditList } from '../../server/access/audit-operations.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { saveFile } from '../../terminal/files/save-file.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { type Moment, moment } from '../../terminal/options/moment.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface ExportOptions {
  output: string;
  csv?: boolean;
  operation?: string;
  actor?: string;
  owner?: string;
  from?: Moment;
  to?: Moment;
}

const add: AddGroup = (group, shell) => {
  operationCommands(group, shell)(auditList, {
    usage: 'ls',
    examples: ['audit ls --actor anna --from 2h', 'audit ls --operation session.login'],
    fields: {
      from: {
        flags: '--from <time>',
        about: 'Only from this time on: 2026-03-01T08:00, or an age such as 2h',
        read: at,
      },
      to: { flags: '--to <time>', about: 'Only before this time', read: at },
    },
    columns: [
      { title: 'at', of: (row) => formatTime(row.at) },
      { title: 'who', of: (row) => row.actor },
      { title: 'operation', of: (row) => row.operation },
      { title: 'outcome', of: (row) => row.outcome },
      { title: 'times', of: (row) => row.count },
      { title: 'from', of: (row) => row.address },
      { title: 'owner', of: (row) => row.owner },
      { title: 'input', of: (row) => JSON.stringify(row.input) },
    ],
  });

  shell
    .command(
      group,
      'export',
      'Save the audit log, oldest first, as JSON lines or CSV',
      'audit export -o audit.ndjson --from 30d',
      'audit export -o audit.csv --csv --from 2026-01-01 --to 2026-02-01',
    )
    .requiredOption('-o, --output <file>', 'file to write')
    .option('--csv', 'CSV instead of JSON lines')
    .option('--from <time>', 'only from this time on: 2026-03-01T08:00, or an age such as 2h', moment)
    .option('--to <time>', 'only before this time', moment)
    .option('--operation <operation>', 'only this operation')
    .option('--actor <user>', 'only this user, signed in with a password or with any key')
    .option('--owner <user>', 'only reads of this user’s data by administrators')
    .action(
      shell.run<ExportOptions>(async ({ client, clock, out, options }) => {
        const { output, csv, operation, actor, owner } = options;
        const now = clock.now();
        const [from, to] = [options.from?.(now), options.to?.(now)];
        const format = csv ? 'csv' : 'ndjson';
        await saveFile(
          output,
          (await client()).stream(auditExport, { format, operation, actor, owner, from, to }),
        );
        out.say(`the audit log is in ${output}`);
      }),
    );
};
export default add;

function at(text: string): number {
  return moment(text)(systemClock.now());
}
