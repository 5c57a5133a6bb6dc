import type { Command } from 'commander';
import { queueList } from '../../engine/operation/operations/queue.ts';
import type { Shell } from '../../terminal/shell.ts';

export function addWorker(group: Command, { command, run }: Shell): void {
  command(
    group,
    'queue',
    'Show the queues of the mail classes: what waits, what is put off, what senders have in their hands',
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
    'Send mails in this process too, until Ctrl-C: for installations whose database and queues are on servers',
    'mail worker --data /var/lib/pismak-sender --config /etc/pismak.toml',
  ).action(
    run(async (session) => {
      const { settings } = await session.settings();
      const client = await session.openWork({ settings, purpose: 'pismak mail worker', workers: 0 });
      session.out.say('sending mails; Ctrl-C ends it');
      await new Promise<void>((resolve) => {
        if (session.signal.aborted) resolve();
        session.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await client.close();
    }),
  );
}
