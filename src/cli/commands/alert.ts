import { alertAcknowledge, alertList, alertMute } from '../../engine/operation/operations/alert.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { laterMoment, type Moment, timeHelp } from '../../terminal/options/moment.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(alertList, {
    usage: 'ls',
    columns: [
      { title: 'raised', of: (row) => formatTime(row.raisedAt) },
      { title: 'cleared', of: (row) => formatTime(row.clearedAt) },
      { title: 'alert', of: (row) => row.kind },
      { title: 'about', of: (row) => row.entity },
      { title: 'times', of: (row) => row.seen },
      { title: 'looked after by', of: (row) => row.acknowledgedBy },
      { title: 'muted until', of: (row) => formatTime(row.mutedUntil ?? null) },
      { title: 'id', of: (row) => row.id },
      { title: 'reason', of: (row) => row.reason },
    ],
    empty: 'no alerts',
  });
  command(alertAcknowledge, {
    usage: 'acknowledge <alert>',
    say: ({ kind, entity, acknowledgedBy }) => `${acknowledgedBy} looks after ${kind} ${entity}`,
  });
  command(alertMute, {
    usage: 'mute <alert>',
    examples: ['alert mute 019a9d2c-7c1f-7f04-bb4d-1f8d3a0f4c11 --until 2d'],
    fields: { until: { flags: '--until <time>', about: timeHelp, read: laterMoment } },
    complete: async ({ clock }, { until }) => ({ until: (until as unknown as Moment)(clock.now()) }),
    say: ({ kind, entity, mutedUntil }) =>
      `nobody is notified of ${kind} ${entity} until ${formatTime(mutedUntil)}`,
  });
  command(alertMute, {
    usage: 'unmute <alert>',
    summary: 'Notify again about a muted alert',
    given: { until: null },
    say: ({ kind, entity }) => `${kind} ${entity} is told again`,
  });
};
export default add;
