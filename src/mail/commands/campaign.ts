import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { sleep } from '../../engine/time/clock.ts';
import { uploadFile } from '../../terminal/client/upload-file.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { laterMoment, type Moment, timeHelp } from '../../terminal/options/moment.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import type { Session } from '../../terminal/session.ts';
import type { Shell } from '../../terminal/shell.ts';
import { campaignCreate, campaignList, campaignShow, campaignStart } from '../operations/campaign.ts';
import {
  campaignCancel,
  campaignPause,
  campaignResume,
  campaignRetry,
} from '../operations/campaign-control.ts';
import { campaignTest, campaignTry } from '../operations/campaign-rehearsal.ts';

const isNoFile = /^((csv|ndjson):[0-9a-f]{64}|query:[a-z][a-z0-9-]*)$/;

interface WaitOptions {
  at?: Moment;
  wait?: boolean;
}

export function addCampaigns(group: Command, shell: Shell): void {
  const campaigns = group.command('campaign').description('Newsletters: one mail type to an audience');
  const command = operationCommands(campaigns, shell);
  command(campaignCreate, {
    usage: 'create <name>',
    fields: {
      audience: {
        flags: '--audience <files>',
        about:
          'files, separated by commas: CSV with a column `email`, or .ndjson; the other columns are data. A person in several gets one mail. query:NAME is a query of the settings',
        read: commaList,
      },
    },
    examples: ['mail campaign create spring --type newsletter --audience people.csv'],
    async complete(session, { audience }) {
      const uploaded = [];
      for (const file of audience) {
        if (isNoFile.test(file)) uploaded.push(file);
        else {
          const { hash } = await uploadFile(await session.client(), file, session);
          uploaded.push(`${/\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv'}:${hash}`);
        }
      }
      return { audience: uploaded };
    },
    say: ({ name }) => `campaign ${name} is ready; start it with \`pismak mail campaign start ${name}\``,
  });
  command(campaignStart, {
    usage: 'start <campaign>',
    fields: { at: false },
    async complete(session) {
      const { at } = session.options as WaitOptions;
      return at ? { at: at(session.clock.now()) } : {};
    },
    examples: ['mail campaign start spring --wait'],
    say: (_, { campaign, at, generateOnly }) => {
      if (generateOnly) return `campaign ${campaign} makes its mails; start it again to send them`;
      if (at !== undefined) return `campaign ${campaign} sends its mails from ${formatTime(at)} on`;
      return `campaign ${campaign} has started`;
    },
    async follow(_, session, { campaign }) {
      if ((await session.client()).alone)
        session.stderr.write('Pismak is not running here; the campaign waits until you start `pismak up`\n');
      else if ((session.options as WaitOptions).wait) await waitFor(session, campaign);
    },
  })
    .option('--at <time>', `send nothing before this time: ${timeHelp}`, laterMoment)
    .option('--wait', 'wait until every mail is sent or has failed, and show the progress');
  command(campaignTry, {
    usage: 'try <campaign>',
    old: ['dry-run'],
    show(answer, { out }) {
      const { read, isComplete, mails, repeated, refused, suppressed, failed, problems, meanBytes } = answer;
      out.say(
        `${formatCount(read, 'person', 'people')} read${isComplete ? '' : ' (the audience has more)'}: ${formatCount(mails, 'mail')} to send`,
      );
      out.say(
        `${repeated} named again, ${refused} without a valid address, ${suppressed} suppressed, ${failed} can't be built`,
      );
      out.say(`a mail has ${meanBytes} bytes on average, ${answer.largestBytes} at most`);
      for (const { row, email, reason } of problems) out.say(`row ${row}, ${email}: ${reason}`);
    },
  });
  command(campaignTest, {
    usage: 'test <campaign>',
    examples: ['mail campaign test spring --to me@example.org'],
    say: ({ mails }) => `${formatCount(mails.length, 'test mail')} queued: ${mails.join(', ')}`,
  });
  command(campaignPause, {
    usage: 'pause <campaign>',
    say: ({ waiting }, { campaign }) =>
      `campaign ${campaign} is paused; ${formatCount(waiting, 'mail')} waiting`,
  });
  command(campaignResume, {
    usage: 'resume <campaign>',
    say: (_, { campaign }) => `campaign ${campaign} goes on`,
  });
  command(campaignCancel, {
    usage: 'cancel <campaign>',
    confirm: 'mails not yet sent are dropped, and this cannot be undone',
    say: ({ cancelled }, { campaign }) =>
      `campaign ${campaign} is cancelled; ${formatCount(cancelled, 'mail')} not sent`,
  });
  command(campaignRetry, {
    usage: 'retry <campaign>',
    say: ({ mails }) => (mails === 0 ? 'no mail failed' : `${formatCount(mails, 'mail')} queued again`),
  });
  command(campaignShow, { usage: 'show <campaign>', old: ['status'] });
  command(campaignList, {
    usage: 'ls',
    columns: [
      { title: 'campaign', of: (row) => row.name },
      { title: 'owner', of: (row) => row.owner },
      { title: 'type', of: (row) => row.type },
      { title: 'state', of: (row) => row.state },
      { title: 'mails', of: (row) => row.generated },
      { title: 'created', of: (row) => formatTime(row.createdAt) },
    ],
    empty: 'no campaigns',
  });
}

const pauseMs = 500;

/** Shows progress until the campaign ends. Fails if any mail failed. */
export async function waitFor(session: Session, campaign: string): Promise<void> {
  const { clock, out, signal } = session;
  const client = await session.client();
  const bar = session.progress('mails');
  for (;;) {
    const shown = await client.call(campaignShow, { campaign });
    const {
      waiting = 0,
      sending = 0,
      deferred = 0,
      sent = 0,
      failed = 0,
      unknown = 0,
      expired = 0,
    } = shown.mails;
    bar.set(shown.generated - waiting - sending - deferred, shown.generated);
    if (shown.state !== 'running') {
      bar.close();
      if (out.json) out.object(shown);
      else
        out.say(
          `${shown.state}: ${formatCount(sent, 'mail')} sent, ${failed + expired} failed, ${unknown} unknown`,
        );
      if (shown.state === 'failed') throw new PismakError('conflict', shown.problem);
      if (failed + expired + unknown > 0)
        throw new PismakError('conflict', `see \`pismak mail ls --campaign ${campaign} --state failed\``);
      return;
    }
    await sleep(clock, pauseMs, signal);
    signal.throwIfAborted();
  }
}
