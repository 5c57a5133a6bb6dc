import { stageProcessors } from '../../engine/operation/operations/processor.ts';
import {
  stageConfigure,
  stageCreate,
  stageDelete,
  stageHistory,
  stageList,
  stagePriority,
  stageShow,
} from '../../engine/operation/operations/stage.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import { addDefinitionOptions, definitionFields, readChange, readDefinition } from './stage-options.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(stageList, {
    usage: 'ls',
    columns: [
      { title: 'stage', of: (row) => row.name },
      { title: 'processor', of: (row) => row.processor },
      { title: 'mode', of: (row) => row.mode },
      { title: 'priority', of: (row) => row.priority },
      { title: 'at once', of: (row) => row.concurrency },
      { title: 'attempts', of: (row) => row.retry.attempts },
      { title: 'timeout', of: (row) => formatDuration(row.timeoutMs), align: 'right' },
      { title: 'labels', of: (row) => row.labels.join(',') },
      { title: 'version', of: (row) => row.version },
      { title: '', of: (row) => (row.broken === null ? ' ' : 'BROKEN') },
    ],
  });
  command(stageShow, { usage: 'show <stage>' });
  addDefinitionOptions(
    command(stageCreate, {
      usage: 'create <stage>',
      summary:
        'Create a stage: a queue, a configuration and a processor (`pismak stage processors` lists them)',
      examples: [
        'stage create recognise --processor ocr --stage-config @ocr.ini --file model.bin --labels gpu',
      ],
      fields: definitionFields,
      complete: readDefinition,
      say: ({ name, version }) => `stage ${name} is created, version ${version}`,
    }),
  );
  addDefinitionOptions(
    command(stageConfigure, {
      usage: 'configure <stage>',
      summary:
        'Change a stage; options you leave out stay as they are. Workers pick up the change between two messages',
      examples: [
        'stage configure recognise --attempts 5 --stage-config @ocr.ini',
        'stage configure recognise --file model.bin --file words.txt',
      ],
      fields: definitionFields,
      complete: readChange,
      say: ({ name, version }) => `stage ${name} now has version ${version}`,
    }),
  );
  command(stagePriority, {
    usage: 'priority <stage> <priority>',
    examples: ['stage priority recognise -1'],
    say: ({ name, priority, version }) => `stage ${name} now has priority ${priority}, version ${version}`,
  });
  command(stageDelete, { usage: 'delete <stage>', say: (_, { name }) => `stage ${name} is deleted` });
  command(stageHistory, {
    usage: 'history <stage>',
    columns: [
      { title: 'version', of: (row) => row.version },
      { title: 'changed', of: (row) => formatTime(row.changedAt) },
      { title: 'by', of: (row) => row.changedBy },
      { title: 'processor', of: (row) => row.stage.processor },
      { title: 'configuration', of: (row) => row.stage.config },
    ],
  });
  command(stageProcessors, {
    usage: 'processors',
    columns: [
      { title: 'processor', of: (row) => row.name },
      { title: 'runs', of: (row) => row.runs },
      { title: 'summary', of: (row) => row.summary },
    ],
  });
};
export default add;
