import { wholeNumber } from '../option-values.ts';
import type { AddGroup } from '../program.ts';

interface Usage {
  subject: string;
  owner: string;
  month: string;
  pages: number;
  bytes: number;
}

interface Limits {
  perMonth?: number;
  waiting?: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List pages and bytes per key and month', 'usage ls', 'usage ls --month 2026-01')
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
          ],
          'nothing was read yet',
        );
      }),
    );

  command(
    group,
    'limit <subject>',
    'Set how much a key or user may have read; what is not named has no limit',
    'usage limit user:anna --per-month 10000',
    'usage limit key:ID --per-month 10000 --waiting 500',
  )
    .option('--per-month <pages>', 'how many pages in a month', wholeNumber)
    .option('--waiting <pages>', 'how many pages may wait at once', wholeNumber)
    .action(
      run<Limits>(async ({ client, out, options }, subject) => {
        const { perMonth: pagesPerMonth = null, waiting: pagesWaiting = null } = options;
        await (await client()).call('usage.limit', { subject, pagesPerMonth, pagesWaiting });
        const told = (limit: number | null) => limit ?? 'any number of';
        out.say(`${subject}: ${told(pagesPerMonth)} pages a month, ${told(pagesWaiting)} waiting`);
      }),
    );
};
export default add;
