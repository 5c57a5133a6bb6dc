import { PismakError } from '../../engine/ground/errors.ts';
import {
  scheduleCancel,
  scheduleCreate,
  scheduleDelete,
  scheduleDisable,
  scheduleEnable,
  scheduleHistory,
  scheduleList,
  scheduleLog,
  scheduleRun,
  scheduleSet,
  scheduleShow,
} from '../../engine/operation/operations/schedule.ts';
import type { ScheduleDefinition } from '../../engine/schedule/schedule.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { ifVersion } from '../../terminal/options/if-version.ts';
import { commaList, jsonObject } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';
import { followRun } from './follow-run.ts';
import { changedSchedule, type ScheduleOptions, scheduleFrom } from './schedule-options.ts';

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
  const create = command(scheduleCreate, {
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
    say: ({ nextAt, definition }, { name }) => `schedule ${name} runs ${nextText(definition, nextAt)}`,
  });
  const set = command(scheduleSet, {
    usage: 'set <schedule>',
    summary:
      'Change when a schedule runs, what it does, or both; what you do not name stays. An unknown name is refused',
    examples: [
      'schedule set nightly --cron "30 4 * * *"',
      'schedule set statistics.week --parameters \'{"user":"acme"}\'',
      'schedule set nightly --definition @schedule.json --if-version 3',
    ],
    fields: {
      definition: { about: 'the whole definition as JSON; @FILE reads it from a file', mandatory: false },
      base: ifVersion,
    },
    async complete({ client, options }, { name, definition, base }) {
      if (definition) return {};
      const before = await (await client()).call(scheduleShow, { name });
      const changed = changedSchedule(before.definition, options as ScheduleOptions);
      if (JSON.stringify(changed) === JSON.stringify(before.definition))
        throw new PismakError('invalid-input', 'this changes nothing: give --cron, --task or another option');
      return { definition: changed, base: base ?? before.version };
    },
    say: ({ version, nextAt, definition }, { name }) =>
      `schedule ${name} has version ${version} and runs ${nextText(definition, nextAt)}`,
  });
  for (const each of [create, set])
    each
      .option('--cron <cron>', 'when: five fields, or six with seconds in front')
      .option('--timezone <zone>', 'time zone of --cron (default: UTC)')
      .option('--after <schedule>', 'when: after each successful run of that schedule')
      .option('--pipeline <name>', 'what: send a request to this pipeline')
      .option('--stages <a,b,out>', 'what: send a request through these stages', commaList)
      .option('--task <name>', 'what: run a task of this installation')
      .option('--parameters <json>', 'parameters of the task', jsonObject);
  command(scheduleRun, {
    usage: 'run <schedule>',
    examples: ['schedule run statistics.week --parameters \'{"user":"acme"}\' --follow'],
    data: ({ run }) => run,
    say: ({ run }, { name }) =>
      `run ${run.id} is ${run.status}; \`pismak schedule log ${name} --follow\` shows how it goes`,
    async follow({ run }, session, { name }) {
      if (!session.options.follow) return;
      const { status } = await followRun(session, { name, run: run.id });
      if (status !== 'succeeded')
        throw new PismakError('conflict', `run ${run.id} ${ended[status] ?? status}`);
      session.out.say(`run ${run.id} succeeded`);
    },
  }).option('--follow', 'show the log until the run ends; exit code 1 if it fails or is cancelled');
  command(scheduleLog, {
    usage: 'log <schedule>',
    data: ({ run }) => run,
    show({ run }, { out, options }) {
      if (options.follow) return;
      if (run.log !== '') out.text(run.log.trimEnd());
      else out.say(`run ${run.id} is ${run.status} and has logged nothing yet`);
    },
    async follow({ run }, session, { name }) {
      if (!session.options.follow) return;
      const { status } = await followRun(session, { name, run: run.id });
      session.out.say(`run ${run.id} ${ended[status] ?? status}`);
    },
  }).option('--follow', 'show further lines until the run ends');
  command(scheduleCancel, {
    usage: 'cancel <schedule>',
    data: ({ runs }) => runs,
    say: ({ runs }) =>
      runs
        .map(({ id, status }) => `run ${id} ${status === 'running' ? 'is told to stop' : 'is cancelled'}`)
        .join('; '),
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
    async follow({ next }, { stderr }, { name }) {
      const words = ['schedule history', name, '--before', next].filter((word) => word !== undefined);
      if (next !== null) stderr.write(`older runs: pismak ${words.join(' ')}\n`);
    },
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

const ended: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'has failed',
  cancelled: 'was cancelled',
};

function whenText({ when }: ScheduleDefinition): string {
  return when.kind === 'cron' ? `${when.cron} (${when.timezone})` : `after ${when.schedule}`;
}

function nextText({ when }: ScheduleDefinition, nextAt: number | null): string {
  return when.kind === 'cron' ? `next at ${formatTime(nextAt)}` : `after each success of ${when.schedule}`;
}

function actionText({ action }: ScheduleDefinition): string {
  if (action.kind === 'task') return `task ${action.task}`;
  return `publish to ${action.pipeline ?? action.stages?.join(', ')}`;
}
