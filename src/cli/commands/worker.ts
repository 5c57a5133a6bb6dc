import {
  workerDisable,
  workerEnable,
  workerForget,
  workerList,
  workerLog,
  workerPin,
  workerStop,
  workerSwitch,
} from '../../engine/operation/operations/worker.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { formatTime } from '../../terminal/output/format.ts';
import type { RunWorkerOptions } from './run-worker.ts';
import { workerColumns } from './worker-columns.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(workerList, { usage: 'ls', columns: ({ clock }) => workerColumns(clock.now()) });

  shell
    .command(
      group,
      'run',
      'Run one more worker until Ctrl-C: in this process, on any machine, if a coordination service is set; otherwise in the process that uses the data directory',
      'worker run',
      'worker run --id big --labels gpu,large',
      'worker run --coordination-file /etc/pismak/coordination',
    )
    .option('--id <name>', 'name of the worker (default: generated)')
    .option('--labels <a,b>', 'labels that stages may require (setting worker.labels)', commaList)
    .option('--coordination <url>', 'URL of the coordination service (PISMAK_COORDINATION)')
    .option('--coordination-file <file>', 'a file that holds this URL: other users can read a command line')
    .action(
      shell.run<RunWorkerOptions>(async (session) => {
        // Loaded late: the other commands of the group run no worker.
        const { runWorker } = await import('./run-worker.ts');
        await runWorker(session);
      }),
    );

  command(workerSwitch, {
    usage: 'switch <worker> <stage>',
    summary:
      'Move a worker to another stage ("none": no stage) until the watchdog needs it elsewhere; `worker pin` keeps it there',
    examples: ['worker switch host-1 none'],
    say: (_, { id, stage }) =>
      stage === null ? `worker ${id} serves no stage` : `worker ${id} goes to ${stage}`,
  });
  command(workerPin, {
    usage: 'pin <worker> [stage]',
    summary:
      'Keep a worker at its stage, or send it to another one ("none": no stage) and keep it there: the watchdog no longer moves it',
    examples: ['worker pin host-1'],
    given: { pinned: true },
    say: ({ stage }, { id }) => `worker ${id} stays ${stage === null ? 'without a stage' : `at ${stage}`}`,
  });
  command(workerPin, {
    usage: 'unpin <worker>',
    fields: { stage: false },
    summary: 'Let the watchdog move a worker again',
    given: { pinned: false },
    say: (_, { id }) => `the watchdog may move worker ${id} again`,
  });
  command(workerEnable, { usage: 'enable <worker>', say: (_, { id }) => `worker ${id} is enabled` });
  command(workerDisable, {
    usage: 'disable <worker>',
    say: (_, { id }) => `worker ${id} is disabled: it finishes its current work, then stays idle`,
  });
  command(workerLog, {
    usage: 'log <worker>',
    show({ lines, failures }, { out }) {
      for (const { at, level, text } of lines) out.text(`${formatTime(at)} ${level.padEnd(5)} ${text}`);
      if (failures.length > 0) out.say('failed attempts:');
      for (const { at, stage, uuid, attempt, reason } of failures)
        out.text(`${formatTime(at)} ${stage} ${uuid}, attempt ${attempt}: ${reason}`);
      if (lines.length + failures.length === 0) out.say('it has logged nothing yet');
    },
  });
  command(workerStop, {
    usage: 'stop <worker>',
    examples: ['worker stop far-1 --wait-ms 0'],
    data: (answer) => answer,
    say: ({ stopped }, { id }) =>
      stopped
        ? `worker ${id} has stopped`
        : `worker ${id} is told to stop and will leave when its work is done; \`pismak worker ls\` shows it`,
  });
  shell
    .command(
      group,
      'start',
      'Let a disabled worker work again. One that has stopped is started where it ran',
      'worker start host-1',
    )
    .argument('<worker>', 'name of the worker')
    .action(
      shell.run<object, [string]>(async (session, id) => {
        const { startAgain } = await import('./start-again.ts');
        await startAgain(session, id);
      }),
    );
  command(workerForget, { usage: 'forget <worker>', say: (_, { id }) => `worker ${id} is forgotten` });
};
export default add;
