import type { AddGroup } from '../../terminal/command-group.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';

interface Pipeline {
  name: string;
  stages: string[];
  owner: string;
  createdAt: number;
}

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List pipelines', 'pipeline ls', 'pipeline ls --json').action(
    run(async ({ client, out }) => {
      const { pipelines } = await (await client()).call<{ pipelines: Pipeline[] }>('pipeline.ls');
      out.list(pipelines, [
        { title: 'pipeline', of: (row) => row.name },
        { title: 'stages', of: (row) => row.stages.slice(0, -1).join(', ') },
        { title: 'output queue', of: (row) => row.stages.at(-1) },
        { title: 'owner', of: (row) => row.owner },
        { title: 'created', of: (row) => formatTime(row.createdAt) },
      ]);
    }),
  );

  command(group, 'show <pipeline>', 'Show one pipeline', 'pipeline show pages').action(
    run(async ({ client, out }, name) =>
      out.object(await (await client()).call<Pipeline>('pipeline.show', { name })),
    ),
  );

  command(
    group,
    'create <pipeline> <stages...>',
    'Name a list of stages; the last is the output queue, which is made if it is new',
    'pipeline create pages detect,recognise,pages-done',
  ).action(
    run(async ({ client, out }, name: string, names: string[]) => {
      const stages = names.flatMap(commaList);
      const made = await (await client()).call<Pipeline>('pipeline.create', { name, stages });
      if (out.json) out.object(made);
      else out.say(`pipeline ${name}: ${stages.join(' -> ')}`);
    }),
  );

  command(
    group,
    'delete <pipeline>',
    'Forget a name; requests under way go on, the output queue and its results stay',
    'pipeline delete pages',
  ).action(
    run(async ({ client, out }, name) => {
      await (await client()).call('pipeline.delete', { name });
      out.say(`pipeline ${name} is deleted`);
    }),
  );
};
export default add;
