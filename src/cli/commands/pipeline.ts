import {
  pipelineCreate,
  pipelineDelete,
  pipelineList,
  pipelineShow,
} from '../../engine/operation/operations/pipeline.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
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
  command(pipelineDelete, {
    usage: 'delete <pipeline>',
    say: (_, { name }) => `pipeline ${name} is deleted`,
  });
};
export default add;
