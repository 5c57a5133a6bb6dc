import {
  workerDisable,
  workerEnable,
  workerForget,
  workerList,
  workerPin,
  workerSwitch,
} from '../../engine/operation/operations/worker.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { operationCommands } from '../../terminal/operation-command.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import type { RunWorkerOptions } from './run-worker.ts';
import { workerColumns } from './worker-columns.ts';

const add: AddGroup = (group, shell) => {
  const command = operationCommands(group, shell);

  command(workerList, { usage: 'ls', columns: ({ clock }) => workerColumns(clock.now()) });

  shell
    .command(
      group,
      'run',
      'Runs one more worker until Ctrl-C: with --coordination in this process and on any machine, otherwise inside the process that has the data directory',
      'worker run',
      'worker run --id big --labels gpu,large',
      'worker run --coordination zookeeper://zk1:2181,zk2:2181,zk3:2181',
    )
    .option('--id <name>', 'its name (default: chosen)')
    .option('--labels <a,b>', 'what it can do (setting worker.labels)', commaList)
    .option('--coordination <url>', 'where workers and services meet (setting coordination)')
    .action(
      shell.run<RunWorkerOptions>(async (session) => {
        // Loaded only here: the other commands of the group need no worker of their own.
        const { runWorker } = await import('./run-worker.ts');
        await runWorker(session);
      }),
    );

  command(workerSwitch, {
    usage: 'switch <worker> <stage>',
    summary:
      'Gives a worker another stage ("none": no stage) until the watchdog needs it elsewhere; `worker pin` keeps it there',
    examples: ['worker switch host-1 none'],
    say: (_, { id, stage }) =>
      stage === null ? `worker ${id} serves no stage` : `worker ${id} goes to ${stage}`,
  });
  command(workerPin, {
    usage: 'pin <worker>',
    summary: 'Keeps a worker at its stage, whatever the watchdog would like',
    given: { pinned: true },
    say: (_, { id }) => `worker ${id} keeps its stage`,
  });
  command(workerPin, {
    usage: 'unpin <worker>',
    summary: 'Lets the watchdog move a worker again',
    given: { pinned: false },
    say: (_, { id }) => `worker ${id} may be moved`,
  });
  command(workerEnable, { usage: 'enable <worker>', say: (_, { id }) => `worker ${id} may work` });
  command(workerDisable, {
    usage: 'disable <worker>',
    say: (_, { id }) => `worker ${id} finishes what it has begun, and then does nothing`,
  });
  command(workerForget, { usage: 'forget <worker>', say: (_, { id }) => `worker ${id} is forgotten` });
};
export default add;
