import type { AddGroup } from '../../terminal/command-group.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';

interface Usage {
  subject: string;
  owner: string;
  month: string;
  pages: number;
  bytes: number;
  stored?: number | null;
}

interface Limits {
  perMonth?: number;
  waiting?: number;
  storage?: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(
    group,
    'ls',
    'List pages and bytes per key and month, and what is stored now',
    'usage ls',
    'usage ls --month 2026-01',
  )
    .option('--month <month>', 'only this month, e.g. 2026-01')
    .action(
      run<{ month?: string }>(async ({ client, out, options: { month } }) => {
        const { usage } = await (await client()).call<{ usage: Usage[] }>('usage.ls', { month });
        out.list(
          usage,
          [
            { title: 'month', of: (row) => row.month },
            { title: 'subject', of: (row) => row.subject },
            { title: 'owner', of: (row) => row.owner },
            { title: 'pages', of: (row) => row.pages },
            { title: 'bytes', of: (row) => row.bytes },
            { title: 'stored now', of: (row) => row.stored },
          ],
          'nothing was read or stored yet',
        );
      }),
    );

  command(
    group,
    'limit <subject>',
    'Set how much a key or user may have read and store; what is not named has no limit',
    'usage limit user:anna --per-month 10000 --storage 50000',
    'usage limit key:ID --per-month 10000 --waiting 500',
  )
    .option('--per-month <pages>', 'how many pages in a month', wholeNumber)
    .option('--waiting <pages>', 'how many pages may wait at once', wholeNumber)
    .option('--storage <MB>', 'what the sources in its documents may take together', wholeNumber)
    .action(
      run<Limits>(async ({ client, out, options }, subject) => {
        const { perMonth = null, waiting = null, storage = null } = options;
        await (await client()).call('usage.limit', {
          ...{ subject, pagesPerMonth: perMonth, pagesWaiting: waiting, storageMb: storage },
        });
        const told = (limit: number | null) => limit ?? 'any number of';
        out.say(
          `${subject}: ${told(perMonth)} pages a month, ${told(waiting)} waiting, ${told(storage)} MB stored`,
        );
      }),
    );
};
export default add;
