import {
  scheduleCreate,
  scheduleDelete,
  scheduleDisable,
  scheduleEnable,
  scheduleHistory,
  scheduleList,
  scheduleRun,
  scheduleShow,
} from '../../engine/operation/operations/schedule.ts';
import type { ScheduleDefinition } from '../../engine/schedule/schedule.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { commaList, jsonObject } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';
import { type ScheduleOptions, scheduleFrom } from './schedule-options.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(scheduleList, {
    usage: 'ls',
    columns: [
      { title: 'schedule', of: (row) => row.name },
      { title: 'when', of: (row) => whenText(row.definition) },
      { title: 'what', of: (row) => actionText(row.definition) },
      { title: 'next', of: (row) => formatTime(row.nextAt) },
      { title: '', of: (row) => (row.enabled ? ' ' : 'disabled') },
    ],
  });
  command(scheduleShow, { usage: 'show <schedule>' });
  command(scheduleCreate, {
    usage: 'create <schedule>',
    examples: [
      'schedule create nightly --cron "0 3 * * *" --timezone Europe/Prague --pipeline pages',
      'schedule create tidy --after nightly --task blobs.sweep',
      'schedule create other --definition @schedule.json',
    ],
    fields: {
      definition: { about: 'the whole definition as JSON; @FILE reads it from a file', mandatory: false },
    },
    complete: async ({ options }, { definition }) => ({
      definition: definition ?? scheduleFrom(options as ScheduleOptions),
    }),
    say: ({ nextAt }, { name }) => `schedule ${name} runs next at ${formatTime(nextAt)}`,
  })
    .option('--cron <cron>', 'when: five fields, or six with seconds in front')
    .option('--timezone <zone>', 'time zone of --cron (default: UTC)')
    .option('--after <schedule>', 'when: after each successful run of that schedule')
    .option('--pipeline <name>', 'what: send a request to this pipeline')
    .option('--stages <a,b,out>', 'what: send a request through these stages', commaList)
    .option('--task <name>', 'what: run a task of this installation')
    .option('--parameters <json>', 'parameters of the task', jsonObject);
  command(scheduleRun, {
    usage: 'run <schedule>',
    data: ({ run }) => run,
    say: ({ run }, { name }) =>
      `run ${run.id} is ${run.status}; \`pismak schedule history ${name}\` shows how it ends`,
  });
  command(scheduleHistory, {
    usage: 'history [schedule]',
    columns: [
      { title: 'started', of: (row) => formatTime(row.startedAt) },
      { title: 'ended', of: (row) => formatTime(row.endedAt) },
      { title: 'schedule', of: (row) => row.schedule },
      { title: 'status', of: (row) => row.status },
      { title: 'log', of: (row) => row.log.trimEnd().split('\n').at(-1) },
    ],
    empty: 'nothing has run yet',
  });
  command(scheduleEnable, {
    usage: 'enable <schedule>',
    say: (_, { name }) => `schedule ${name} is enabled`,
  });
  command(scheduleDisable, {
    usage: 'disable <schedule>',
    say: (_, { name }) => `schedule ${name} is disabled; \`pismak schedule run ${name}\` still runs it`,
  });
  command(scheduleDelete, {
    usage: 'delete <schedule>',
    say: (_, { name }) => `schedule ${name} is deleted`,
  });
};
export default add;

function whenText({ when }: ScheduleDefinition): string {
  return when.kind === 'cron' ? `${when.cron} (${when.timezone})` : `after ${when.schedule}`;
}

function actionText({ action }: ScheduleDefinition): string {
  if (action.kind === 'task') return `task ${action.task}`;
  return `publish to ${action.pipeline ?? action.stages?.join(', ')}`;
}
