import type { Schedule, ScheduleRun } from '../../engine/schedule/schedules.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { commaList, jsonObject, textOrFile, wholeNumber } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';
import { type ScheduleOptions, scheduleFrom } from './schedule-options.ts';

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List schedules and when each runs next', 'schedule ls', 'schedule ls --json').action(
    run(async ({ client, out }) => {
      const { schedules } = await (await client()).call<{ schedules: Schedule[] }>('schedule.ls');
      out.list(schedules, [
        { title: 'schedule', of: (row) => row.name },
        { title: 'when', of: (row) => whenText(row) },
        { title: 'what', of: (row) => actionText(row) },
        { title: 'next', of: (row) => formatTime(row.nextAt) },
        { title: '', of: (row) => (row.enabled ? ' ' : 'disabled') },
      ]);
    }),
  );

  command(
    group,
    'create <schedule>',
    'Do something at certain times, or after each success of another schedule',
    'schedule create nightly --cron "0 3 * * *" --timezone Europe/Prague --pipeline pages',
    'schedule create tidy --after nightly --task blobs.sweep',
    'schedule create other --definition @schedule.json',
  )
    .option('--cron <cron>', 'when: five fields, or six with seconds in front')
    .option('--timezone <zone>', 'of the cron times (default: UTC)')
    .option('--after <schedule>', 'when: after each run of that schedule which succeeded')
    .option('--pipeline <name>', 'what: send a request to this pipeline')
    .option('--stages <a,b,out>', 'what: send a request through these stages', commaList)
    .option('--task <name>', 'what: a task that this installation knows')
    .option('--parameters <json>', 'for the task', jsonObject)
    .option('--definition <json>', 'all of it as JSON; @FILE reads it from a file', (text) =>
      jsonObject(textOrFile(text)),
    )
    .action(
      run<ScheduleOptions>(async ({ client, out, options }, name) => {
        const made = await (await client()).call<Schedule>('schedule.create', {
          name,
          definition: scheduleFrom(options),
        });
        if (out.json) out.object(made);
        else out.say(`schedule ${name} runs next at ${formatTime(made.nextAt)}`);
      }),
    );

  command(
    group,
    'run <schedule>',
    'Run a schedule now, enabled or not',
    'schedule run nightly',
    'schedule run tidy --parameters \'{"days": 2}\'',
  )
    .option('--parameters <json>', 'instead of its own', jsonObject)
    .action(
      run<{ parameters?: object }>(async ({ client, out, options }, name) => {
        const input = { name, parameters: options.parameters };
        const { run: made } = await (await client()).call<{ run: ScheduleRun }>('schedule.run', input);
        if (out.json) out.object(made);
        else
          out.say(`run ${made.id} is ${made.status}; \`pismak schedule history ${name}\` shows how it ends`);
      }),
    );

  command(
    group,
    'history [schedule]',
    'List what ran and how it ended, newest first',
    'schedule history',
    'schedule history nightly --limit 5',
  )
    .option('--limit <number>', 'at most so many (default: 50)', wholeNumber)
    .action(
      run<{ limit?: number }>(async ({ client, out, options }, name) => {
        const { runs } = await (await client()).call<{ runs: ScheduleRun[] }>('schedule.history', {
          name,
          limit: options.limit,
        });
        out.list(
          runs,
          [
            { title: 'started', of: (row) => formatTime(row.startedAt) },
            { title: 'ended', of: (row) => formatTime(row.endedAt) },
            { title: 'schedule', of: (row) => row.schedule },
            { title: 'status', of: (row) => row.status },
            { title: 'log', of: (row) => row.log.trimEnd().split('\n').at(-1) },
          ],
          'nothing ran yet',
        );
      }),
    );

  for (const [verb, done, summary] of [
    ['enable', 'runs again', 'Let a schedule run again; what it missed is not made up for'],
    ['disable', 'does not run by itself', 'Keep a schedule from running by itself'],
    ['delete', 'is deleted', 'Delete a schedule and its history'],
  ] as const) {
    command(group, `${verb} <schedule>`, summary, `schedule ${verb} nightly`).action(
      run(async ({ client, out }, name) => {
        await (await client()).call(`schedule.${verb}`, { name });
        out.say(`schedule ${name} ${done}`);
      }),
    );
  }
};
export default add;

function whenText({ definition: { when } }: Schedule): string {
  return when.kind === 'cron' ? `${when.cron} (${when.timezone})` : `after ${when.schedule}`;
}

function actionText({ definition: { action } }: Schedule): string {
  if (action.kind === 'task') return `task ${action.task}`;
  return `publish to ${action.pipeline ?? action.stages?.join(', ')}`;
}
