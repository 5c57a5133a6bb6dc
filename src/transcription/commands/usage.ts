import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { usageLimit, usageLimits, usageList, usageShow } from '../operations/usage.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(usageList, {
    usage: 'ls',
    columns: [
      { title: 'month', of: (row) => row.month },
      { title: 'subject', of: (row) => row.subject },
      { title: 'owner', of: (row) => row.owner },
      { title: 'pages', of: (row) => row.pages },
      { title: 'bytes', of: (row) => row.bytes },
      { title: 'stored now', of: (row) => row.stored },
    ],
    empty: 'nothing has been transcribed or stored yet',
  });
  command(usageShow, { usage: 'show' });
  command(usageLimits, {
    usage: 'limits',
    columns: [
      { title: 'subject', of: (row) => row.subject },
      { title: 'pages per month', of: (row) => row.pagesPerMonth ?? 'unlimited' },
      { title: 'waiting', of: (row) => row.pagesWaiting ?? 'unlimited' },
      { title: 'storage MB', of: (row) => row.storageMb ?? 'unlimited' },
      { title: 'version', of: (row) => row.version },
    ],
    empty: 'nobody has limits of their own; those of the settings hold for everybody',
  });
  command(usageLimit, {
    usage: 'limit <subject>',
    summary: 'Limit the pages and storage of a key or user; limits not given are removed',
    examples: ['usage limit user:anna --per-month 10000 --waiting 500'],
    fields: {
      pagesPerMonth: { flags: '--per-month <pages>' },
      pagesWaiting: { flags: '--waiting <pages>' },
      storageMb: { flags: '--storage <MB>' },
      base: { flags: '--if-version <version>' },
    },
    say(_, { subject, pagesPerMonth, pagesWaiting, storageMb }) {
      const told = (limit: number | null = null) => limit ?? 'unlimited';
      return `${subject}: ${told(pagesPerMonth)} pages per month, ${told(pagesWaiting)} waiting pages, ${told(storageMb)} MB of storage`;
    },
  });
};
export default add;
