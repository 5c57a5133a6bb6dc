import { PismakError } from '../../engine/ground/errors.ts';
import { createTiming, type Timing } from '../../engine/results/timing.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { formatCount, formatDuration } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import { queuedRequests, savedRequests } from '../../terminal/results/finished-requests.ts';

const add: AddGroup = (group, { run }) => {
  group
    .argument('[directory]', 'directory in which `pismak results --messages` saved requests')
    .option('--queue <queue>', 'instead, read the requests in an output queue without taking them')
    .addHelpText(
      'after',
      '\nWaiting lasts from the end of the previous stage (or from the submission) to the start. Processing times exclude\n' +
        'failed requests.\n\nExamples:\n  $ pismak timing results\n  $ pismak timing --queue pages-done --json',
    )
    .action(
      run<{ queue?: string }, [string | undefined]>(async ({ client, options, out }, directory) => {
        if ((directory === undefined) === (options.queue === undefined)) {
          throw new PismakError('invalid-input', 'give either a directory or --queue');
        }
        const timing = createTiming();
        const skipped = { unreadable: 0 };
        const requests =
          directory === undefined
            ? queuedRequests(await client(), options.queue ?? '', skipped)
            : savedRequests(directory, skipped);
        for await (const request of requests) timing.add(request);
        const result = timing.result();
        if (out.json) out.object({ ...result, ...skipped });
        else show(result, skipped.unreadable, out);
      }),
    );
};
export default add;

function show(timing: Timing, unreadable: number, out: Output): void {
  out.list(
    timing.stages,
    [
      { title: 'stage', of: (row) => row.stage },
      { title: 'count', of: (row) => row.count },
      { title: 'failed', of: (row) => row.failed },
      ...spreadColumns('waiting', (row: Timing['stages'][number]) => row.waiting),
      ...spreadColumns('processing', (row: Timing['stages'][number]) => row.processing),
    ],
    'no stages',
  );
  out.say('');
  out.list(
    timing.pipelines,
    [
      { title: 'pipeline', of: (row) => row.pipeline },
      { title: 'count', of: (row) => row.count },
      { title: 'failed', of: (row) => row.failed },
      ...spreadColumns('total', (row: Timing['pipelines'][number]) => row.total),
    ],
    'no requests',
  );
  if (timing.unknown > 0)
    out.say(`${formatCount(timing.unknown, 'interval')} unknown: timestamps are missing`);
  if (unreadable > 0) out.say(`${formatCount(unreadable, 'message')} left out: not a request`);
}

type Averages = Timing['pipelines'][number]['total'];

function spreadColumns<Row>(what: string, of: (row: Row) => Averages) {
  const column = (title: string, pick: (spread: Averages) => number | null) => ({
    title,
    of: (row: Row) => formatDuration(pick(of(row))),
    align: 'right' as const,
  });
  return [
    column(`${what}: mean`, (spread) => spread.meanMs),
    column('median', (spread) => spread.medianMs),
    column('95 %', (spread) => spread.p95Ms),
  ];
}
