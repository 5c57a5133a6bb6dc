import { PismakError } from '../../engine/ground/errors.ts';
import { ResultDirectory } from '../../engine/results/result-directory.ts';
import { requireRunning } from '../../terminal/client/require-running.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { duration } from '../../terminal/options/duration.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { formatDuration } from '../../terminal/output/format.ts';
import { collectResults, type Until } from '../../terminal/results/collect-results.ts';
import { describeCounts } from '../../terminal/results/describe-counts.ts';

interface Options {
  output: string;
  messages?: boolean;
  wait?: number;
  follow?: boolean;
  for?: number;
}

const add: AddGroup = (group, { run }) => {
  group
    .argument('<queue>', 'the output queue')
    .requiredOption('-o, --output <directory>', 'where to save each file: DIRECTORY/UUID/NAME')
    .option('--messages', 'also keep the whole request as request.pb, for `pismak timing`')
    .option('--wait <number>', 'wait until this many results have been collected', wholeNumber)
    .option('--follow', 'keep collecting until Ctrl-C')
    .option('--for <duration>', 'keep collecting for this long, such as 10m; with --wait: at most', duration)
    .addHelpText(
      'after',
      '\nA result leaves its queue only after its files are on disk. Every uuid is saved once: duplicates are counted and\n' +
        'dropped. Failed requests are saved with their log.txt. Without --wait, --for or --follow, the command ends\n' +
        'when the queue is empty. It fails if --for is over before --wait results have come.\n\n' +
        'Examples:\n  $ pismak results pages-done -o results\n' +
        '  $ pismak results pages-done -o results --messages --wait 100 --for 10m',
    )
    .action(
      run<Options>(async (session, queue = '') => {
        const { options, out, clock, signal } = session;
        const { wait: count, for: forMs } = options;
        const until = untilOf(options);
        await openOutputDirectory(options.output);
        if (until.kind !== 'empty') await requireRunning(session);
        const client = await session.client();
        const directory = await ResultDirectory.open(options.output, {
          messages: options.messages ?? false,
          clock,
        });
        const bar = session.progress('results', count);
        let enough = true;
        try {
          enough = await collectResults({
            client,
            directory,
            queue,
            until,
            signal,
            progress: (done) => bar.set(done),
            ...(forMs !== undefined && { latest: { at: clock.now() + forMs, clock } }),
          });
        } catch (error) {
          if (!(signal.aborted && options.follow)) throw error;
        } finally {
          bar.close();
          await directory.close();
          if (out.json) out.object({ queue, output: options.output, ...directory.counts });
          else out.say(`${describeCounts(directory.counts)} in ${options.output}`);
        }
        if (!enough && count !== undefined) {
          const { saved, failed, unreadable } = directory.counts;
          const come = saved + failed + unreadable;
          throw new PismakError(
            'conflict',
            `only ${come} of ${count} results came within ${formatDuration(forMs)}; \`--wait ${count - come}\` waits for the rest`,
          );
        }
      }),
    );
};

function untilOf({ wait, follow, for: forMs }: Options): Until {
  if (wait !== undefined) return { kind: 'count', count: wait };
  return { kind: follow || forMs !== undefined ? 'interrupted' : 'empty' };
}
export default add;
