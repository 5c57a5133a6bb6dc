import type { Stage } from '../../engine/stage/stage.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { anyNumber } from '../../terminal/options/option-values.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import type { Column } from '../../terminal/output/table.ts';
import { addDefinitionOptions, type DefinitionOptions, readDefinition } from './stage-options.ts';

const columns: Column<Stage>[] = [
  { title: 'stage', of: (row) => row.name },
  { title: 'processor', of: (row) => row.processor },
  { title: 'mode', of: (row) => row.mode },
  { title: 'priority', of: (row) => row.priority },
  { title: 'at once', of: (row) => row.concurrency },
  { title: 'attempts', of: (row) => row.retry.attempts },
  { title: 'timeout', of: (row) => formatDuration(row.timeoutMs), align: 'right' },
  { title: 'labels', of: (row) => row.labels.join(',') },
  { title: 'version', of: (row) => row.version },
];

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List stages', 'stage ls', 'stage ls --json').action(
    run(async ({ client, out }) => {
      out.list((await (await client()).call<{ stages: Stage[] }>('stage.ls')).stages, columns);
    }),
  );

  command(group, 'show <stage>', 'Show the whole definition of a stage', 'stage show recognise').action(
    run(async ({ client, out }, name) =>
      out.object(await (await client()).call<Stage>('stage.show', { name })),
    ),
  );

  addDefinitionOptions(
    command(
      group,
      'create <stage>',
      'Define a stage: a queue, a configuration and a processor (`pismak stage processors` lists them)',
      "stage create slow --processor dummy --stage-config 'TIME_DELTA = 2'",
      'stage create recognise --processor ocr --stage-config @ocr.ini --file model.bin --labels gpu',
    ).requiredOption('--processor <name>', 'what does the work'),
  ).action(
    run<DefinitionOptions>(async (session, name) => {
      const client = await session.client();
      const stage = await client.call<Stage>('stage.create', {
        name,
        ...(await readDefinition(session.options, client)),
      });
      if (session.out.json) session.out.object(stage);
      else session.out.say(`stage ${name} is defined, version ${stage.version}`);
    }),
  );

  addDefinitionOptions(
    command(
      group,
      'configure <stage>',
      'Change a stage; what is not named stays. Workers pick it up between two messages',
      'stage configure recognise --concurrency 2 --attempts 5',
      'stage configure recognise --stage-config @ocr.ini',
    ).option('--processor <name>', 'what does the work'),
  ).action(
    run<DefinitionOptions>(async (session, name) => {
      const client = await session.client();
      const stage = await client.call<Stage>('stage.configure', {
        name,
        ...(await readDefinition(session.options, client)),
      });
      if (session.out.json) session.out.object(stage);
      else session.out.say(`stage ${name} has version ${stage.version} now`);
    }),
  );

  command(
    group,
    'priority <stage> <priority>',
    'Set how the watchdog weighs a stage: -1 = never, 0 = as computed, more = more workers',
    'stage priority recognise 2',
    'stage priority recognise -1',
  ).action(
    run(async ({ client, out }, name, priority) => {
      const stage = await (await client()).call<Stage>('stage.priority', {
        name,
        priority: anyNumber(priority),
      });
      out.say(`stage ${name} has priority ${stage.priority} now, version ${stage.version}`);
    }),
  );

  command(group, 'delete <stage>', 'Delete a stage and its queue', 'stage delete recognise')
    .option('--force', 'even if messages wait there: they are lost')
    .action(
      run<{ force?: boolean }>(async ({ client, out, options }, name) => {
        await (await client()).call('stage.delete', { name, force: options.force ?? false });
        out.say(`stage ${name} is deleted`);
      }),
    );

  command(
    group,
    'history <stage>',
    'List all versions of a stage, newest first',
    'stage history recognise',
  ).action(
    run(async ({ client, out }, name) => {
      type Version = { version: number; changedAt: number; changedBy: string; stage: Stage };
      const { versions } = await (await client()).call<{ versions: Version[] }>('stage.history', { name });
      out.list(versions, [
        { title: 'version', of: (row) => row.version },
        { title: 'changed', of: (row) => formatTime(row.changedAt) },
        { title: 'by', of: (row) => row.changedBy },
        { title: 'processor', of: (row) => row.stage.processor },
        { title: 'configuration', of: (row) => row.stage.config },
      ]);
    }),
  );

  command(group, 'processors', 'List the processors that a stage may use', 'stage processors').action(
    run(async ({ client, out }) => {
      type Processor = { name: string; summary: string; runs: string };
      const { processors } = await (await client()).call<{ processors: Processor[] }>('processor.ls');
      out.list(processors, [
        { title: 'processor', of: (row) => row.name },
        { title: 'runs', of: (row) => row.runs },
        { title: 'summary', of: (row) => row.summary },
      ]);
    }),
  );
};
export default add;
