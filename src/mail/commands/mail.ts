import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';
import { mailCancel, mailList, mailResend, mailShow } from '../operations/mail.ts';
import { relayList } from '../operations/relay.ts';
import { mailErase, suppressionAdd, suppressionList, suppressionRemove } from '../operations/suppression.ts';
import { addCampaigns } from './campaign.ts';
import { addDemo } from './demo.ts';
import { addInbound } from './inbound.ts';
import { addPreview } from './preview.ts';
import { addSend } from './send.ts';
import { addSink } from './sink.ts';
import { addTranslations } from './translation.ts';
import { addTypes } from './type.ts';
import { addWorker } from './worker.ts';

type MailRow = Awaited<ReturnType<typeof mailList.handler>>['mails'][number];

export const mailColumns: readonly Column<MailRow>[] = [
  { title: 'mail', of: (row) => row.id },
  { title: 'type', of: (row) => row.type },
  { title: 'to', of: (row) => row.to },
  { title: 'state', of: (row) => row.state },
  { title: 'tries', of: (row) => String(row.attempts) },
  { title: 'created', of: (row) => formatTime(row.createdAt) },
  { title: 'answer', of: (row) => row.answer },
];

function ofClass(name = ''): string {
  return name === '' ? '' : ` of class ${name}`;
}

const add: AddGroup = (group, shell) => {
  addTypes(group, shell);
  addSend(group, shell);
  const command = operationCommands(group, shell);
  command(mailList, { usage: 'ls', columns: mailColumns, empty: 'no mails' });
  command(mailShow, { usage: 'show <mail>' });
  command(mailResend, { usage: 'resend <mail>', say: (_, { mail }) => `mail ${mail} is queued again` });
  command(mailCancel, { usage: 'cancel <mail>', say: (_, { mail }) => `mail ${mail} is cancelled` });

  command(mailErase, {
    usage: 'erase <address>',
    confirm: 'the mails are deleted for good',
    say: ({ mails, campaigns }, { address }) =>
      [
        `deleted ${formatCount(mails, 'mail')} to ${address}`,
        ...campaigns.map(
          (name) =>
            `the audience of campaign ${name} still names it: cancel the campaign, or erase again when its mails are made`,
        ),
      ].join('\n'),
  });

  const suppress = group.command('suppress').description('Addresses that get no mails');
  const suppression = operationCommands(suppress, shell);
  suppression(suppressionAdd, {
    usage: 'add <address>',
    say: (_, { address, class: name }) => `${address} gets no more mails${ofClass(name)}`,
  });
  suppression(suppressionRemove, {
    usage: 'remove <address>',
    say: (_, { address, class: name }) => `${address} gets mails${ofClass(name)} again`,
  });
  suppression(suppressionList, {
    usage: 'ls',
    columns: [
      { title: 'address', of: (row) => row.address },
      { title: 'class', of: (row) => row.class || 'all' },
      { title: 'since', of: (row) => formatTime(row.createdAt) },
      { title: 'reason', of: (row) => row.reason },
    ],
    empty: 'no address is suppressed',
  });

  const relay = group.command('relay').description('Mail servers that our mails go through');
  operationCommands(relay, shell)(relayList, {
    usage: 'ls',
    columns: [
      { title: 'relay', of: (row) => row.url },
      { title: 'state', of: (row) => row.state },
      { title: 'connections', of: (row) => `${row.busy}/${row.connections}` },
      { title: 'sent', of: (row) => String(row.sent) },
      { title: 'deferred', of: (row) => String(row.deferred) },
      { title: 'failed', of: (row) => String(row.failed) },
      { title: 'unknown', of: (row) => String(row.unknown) },
      { title: 'reason', of: (row) => row.reason ?? '' },
    ],
    empty: 'no relay is configured: set mail.relays, e.g. smtp://127.0.0.1:2525',
  });
  addCampaigns(group, shell);
  addInbound(group, shell);
  addTranslations(group, shell);
  addPreview(group, shell);
  addWorker(group, shell);
  addSink(group, shell);
  addDemo(group, shell);
};
export default add;
