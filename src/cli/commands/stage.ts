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
import { stageTry } from '../../engine/operation/operations/stage-try.ts';
import { type AddGroup, collect } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { ifVersion } from '../../terminal/options/if-version.ts';
import { formatDuration, formatTime } from '../../terminal/output/format.ts';
import { addDefinitionOptions, definitionFields, readChange, readDefinition } from './stage-options.ts';
import { readTrial, saveTrial } from './stage-trial.ts';

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
      fields: { ...definitionFields, base: ifVersion },
      complete: readChange,
      say: ({ name, version }) => `stage ${name} now has version ${version}`,
    }),
  );
  const trial = command(stageTry, {
    usage: 'try <stage>',
    examples: [
      'stage try recognise --stage-config @ocr.ini --input scan.png --before page,prepare -o tried/',
    ],
    fields: { ...definitionFields, input: false },
    complete: readTrial,
    show: ({ steps }, { out }) => {
      for (const { stage, ok, ms, reason, log } of steps) {
        out.say(`${stage}: ${ok ? 'done' : `failed: ${reason}`} (${formatDuration(ms)})`);
        if (log !== '') out.text(log.trimEnd());
      }
    },
    follow: saveTrial,
  })
    .requiredOption('--input <file>', 'a file of the request; may be repeated', collect)
    .option('-o, --output <directory>', 'save the resulting files here');
  addDefinitionOptions(trial);
  command(stagePriority, {
    usage: 'priority <stage> <priority>',
    fields: { base: ifVersion },
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
