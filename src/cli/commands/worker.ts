import type { WorkerRow } from '../../engine/operation/operations/rows.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { commaList } from '../../terminal/options/option-values.ts';
import { type RunWorkerOptions, runWorker } from './run-worker.ts';
import { workerColumns } from './worker-columns.ts';

const add: AddGroup = (group, { command, run }) => {
  command(group, 'ls', 'List workers, living and dead', 'worker ls', 'worker ls --json').action(
    run(async ({ client, out, clock }) => {
      const { workers } = await (await client()).call<{ workers: WorkerRow[] }>('worker.ls');
      out.list(workers, workerColumns(clock.now()));
    }),
  );

  command(
    group,
    'run',
    'Run one more worker, until Ctrl-C stops it: with --coordination in this process and on any machine, otherwise inside the process that has the data directory',
    'worker run',
    'worker run --id big --labels gpu,large',
    'worker run --coordination zookeeper://zk1:2181,zk2:2181,zk3:2181',
  )
    .option('--id <name>', 'its name (default: chosen)')
    .option('--labels <a,b>', 'what it can do (setting worker.labels)', commaList)
    .option('--coordination <url>', 'where workers and services meet (setting coordination)')
    .action(run<RunWorkerOptions>(runWorker));

  command(
    group,
    'switch <worker> <stage>',
    'Give a worker another stage ("none": no stage) until the watchdog needs it elsewhere; `worker pin` keeps it there',
    'worker switch host-1 recognise',
    'worker switch host-1 none',
  ).action(
    run(async ({ client, out }, id, stage) => {
      await (await client()).call('worker.switch', { id, stage: stage === 'none' ? null : stage });
      out.say(stage === 'none' ? `worker ${id} serves no stage` : `worker ${id} goes to ${stage}`);
    }),
  );

  for (const [verb, pinned, done, summary] of [
    ['pin', true, 'keeps its stage', 'Keep a worker at its stage, whatever the watchdog would like'],
    ['unpin', false, 'may be moved', 'Let the watchdog move a worker again'],
  ] as const) {
    command(group, `${verb} <worker>`, summary, `worker ${verb} host-1`).action(
      run(async ({ client, out }, id) => {
        await (await client()).call('worker.pin', { id, pinned });
        out.say(`worker ${id} ${done}`);
      }),
    );
  }

  for (const [verb, done, summary] of [
    ['enable', 'may work', 'Let a disabled worker work again'],
    [
      'disable',
      'finishes what it has begun, and then does nothing',
      'Let a worker finish what it has begun and then do nothing',
    ],
    ['forget', 'is forgotten', 'Remove the record of a worker that no longer runs'],
  ] as const) {
    command(group, `${verb} <worker>`, summary, `worker ${verb} host-1`).action(
      run(async ({ client, out }, id) => {
        await (await client()).call(`worker.${verb}`, { id });
        out.say(`worker ${id} ${done}`);
      }),
    );
  }
};
export default add;
