import type { QueueRow } from '../../engine/operation/operations/rows.ts';
import { statusShow } from '../../engine/operation/operations/status.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatCount, formatTime } from '../../terminal/output/format.ts';
import { queueColumns } from './queue-columns.ts';
import { workerColumns } from './worker-columns.ts';

const add: AddGroup = (group, shell) => {
  group.addHelpText('after', '\nExamples:\n  $ pismak status\n  $ watch -n 2 pismak status').action(
    shell.run(async ({ client, out, clock }) => {
      const asked = await client();
      const status = await asked.call(statusShow, {});
      if (out.json) return out.object(status);
      const down = Object.entries(status.health.parts).filter(([, state]) => state !== 'ok');
      const health = down.length === 0 ? 'ok' : down.map(([part, state]) => `${part} ${state}`).join(', ');
      if (asked.alone) out.say('No process runs on this data directory; this is its stored state');
      else out.say(`Pismak ${status.version}, since ${formatTime(status.startedAt)}, health ${health}`);
      out.say(
        status.alerts === 0 ? 'no alerts' : `${formatCount(status.alerts, 'alert')}: \`pismak alert ls\``,
      );
      out.say('');
      const rate = { title: 'per min', of: (row: QueueRow) => status.ratePerMinute[row.name] ?? 0 };
      out.list(status.queues, [...queueColumns(clock.now()), rate], 'no queues');
      out.say('');
      out.list(status.workers, workerColumns(clock.now()), 'no workers');
    }),
  );
};
export default add;
