import {
  pipelineCreate,
  pipelineDelete,
  pipelineList,
  pipelineSet,
  pipelineShow,
} from '../../engine/operation/operations/pipeline.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { ifVersion } from '../../terminal/options/if-version.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(pipelineList, {
    usage: 'ls',
    columns: [
      { title: 'pipeline', of: (row) => row.name },
      { title: 'stages', of: (row) => row.stages.slice(0, -1).join(', ') },
      { title: 'output queue', of: (row) => row.stages.at(-1) },
      { title: 'owner', of: (row) => row.owner },
      { title: 'created', of: (row) => formatTime(row.createdAt) },
    ],
  });
  command(pipelineShow, { usage: 'show <pipeline>' });
  command(pipelineCreate, {
    usage: 'create <pipeline> <stages...>',
    examples: ['pipeline create pages detect,recognise,pages-done'],
    fields: { stages: { read: commaList } },
    say: (_, { name, stages }) => `pipeline ${name}: ${stages.join(' -> ')}`,
  });
  command(pipelineSet, {
    usage: 'set <pipeline> <stages...>',
    fields: { stages: { read: commaList }, base: ifVersion },
    say: ({ version }, { name, stages }) => `pipeline ${name} has version ${version}: ${stages.join(' -> ')}`,
  });
  command(pipelineDelete, {
    usage: 'delete <pipeline>',
    say: (_, { name }) => `pipeline ${name} is deleted`,
  });
};
export default add;
