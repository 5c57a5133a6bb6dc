import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { usageLimit, usageList, usageShow } from '../operations/usage.ts';

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
    empty: 'nothing was read or stored yet',
  });
  command(usageShow, { usage: 'show' });
  command(usageLimit, {
    usage: 'limit <subject>',
    summary: 'Sets how much a key or user may have read and store; what is not named has no limit',
    examples: ['usage limit key:ID --per-month 10000 --waiting 500'],
    fields: {
      pagesPerMonth: { flags: '--per-month <pages>' },
      pagesWaiting: { flags: '--waiting <pages>' },
      storageMb: { flags: '--storage <MB>' },
    },
    say(_, { subject, pagesPerMonth, pagesWaiting, storageMb }) {
      const told = (limit: number | null = null) => limit ?? 'any number of';
      return `${subject}: ${told(pagesPerMonth)} pages a month, ${told(pagesWaiting)} waiting, ${told(storageMb)} MB stored`;
    },
  });
};
export default add;
