import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { queueList } from '../../engine/operation/operations/queue.ts';
import type { Settings } from '../../engine/settings/settings.ts';
import type { Shell } from '../../terminal/shell.ts';
import { endOf, isReplaceable, keepSending, replaceMe } from './replaced-process.ts';

export function addWorker(group: Command, { command, run }: Shell): void {
  command(
    group,
    'queue',
    'Show the queues of the mail classes: mails waiting, deferred, and with senders',
    'mail queue',
  ).action(
    run(async ({ client, out }) => {
      const { queues } = await (await client()).call(queueList, {});
      out.list(
        queues.filter(({ name }) => name.startsWith('mail.')),
        [
          { title: 'queue', of: (row) => row.name },
          { title: 'waiting', of: (row) => row.ready.high + row.ready.normal },
          { title: 'backlog', of: (row) => row.backlog },
          { title: 'put off', of: (row) => row.delayed },
          { title: 'in hand', of: (row) => row.inFlight },
          { title: 'dead', of: (row) => row.dead },
          { title: '', of: (row) => (row.paused ? 'paused' : ' ') },
        ],
        'no queues: `pismak up` creates them',
      );
    }),
  );

  command(
    group,
    'worker',
    'Send mails in this process as well, until Ctrl-C: for installations with database and queues on servers',
    'mail worker --data /var/lib/pismak-sender --config /etc/pismak.toml',
    'mail worker --memory 500',
  )
    .option(
      '--memory <mb>',
      'replace the sending process when it needs more memory than this, once its mails are finished',
      readMemory,
    )
    .action(
      run<{ memory?: number }>(async (session) => {
        const { memory } = session.options;
        const { settings } = await session.settings();
        checkServers(settings);
        if (memory !== undefined && !isReplaceable()) return keepSending(session);
        const client = await session.openWork({ settings, purpose: 'pismak mail worker', workers: 0 });
        session.out.say('sending mails; Ctrl-C ends it');
        const end = await endOf(session.signal, session.clock, memory);
        await client.close();
        // Nothing is left to do; exit here, because the command's own exit code would hide the reason.
        if (end === 'memory') process.exit(replaceMe);
      }),
    );
}

/** On an embedded tier a second process has queues of its own, which stay empty. */
function checkServers(settings: Settings): void {
  const own = (['broker', 'database', 'coordination'] as const).filter((name) =>
    /^(sqlite|embedded):/.test(settings[name]),
  );
  if (own.length === 0) return;
  throw new PismakError(
    'configuration-invalid',
    `\`mail worker\` is for installations on servers, but ${own.join(', ')} of the settings ${own.length > 1 ? 'are' : 'is'} embedded; there \`pismak up\` sends the mails`,
  );
}

/** What it needs to start. */
const least = 300;

function readMemory(text: string): number {
  const mb = Number(text);
  if (Number.isInteger(mb) && mb >= least) return mb;
  throw new PismakError('invalid-input', `--memory is ${text}, but must be at least ${least} (MB)`);
}
