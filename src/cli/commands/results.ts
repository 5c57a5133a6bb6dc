import { ResultDirectory } from '../../engine/results/result-directory.ts';
import { requireRunning } from '../../terminal/client/require-running.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { openOutputDirectory } from '../../terminal/files/output-directory.ts';
import { wholeNumber } from '../../terminal/options/option-values.ts';
import { collectResults, type Until } from '../../terminal/results/collect-results.ts';
import { describeCounts } from '../../terminal/results/describe-counts.ts';

interface Options {
  output: string;
  messages?: boolean;
  wait?: number;
  follow?: boolean;
}

const add: AddGroup = (group, { run }) => {
  group
    .argument('<queue>', 'the output queue')
    .requiredOption('-o, --output <directory>', 'where to save each file: DIRECTORY/UUID/NAME')
    .option('--messages', 'also keep the whole request as request.pb, for `pismak timing`')
    .option('--wait <number>', 'wait until this many results have been collected', wholeNumber)
    .option('--follow', 'keep collecting until Ctrl-C')
    .addHelpText(
      'after',
      '\nA result leaves its queue only after its files are on disk. Every uuid is saved once: duplicates are counted and\n' +
        'dropped. Failed requests are saved with their log.txt. Without --wait or --follow, the command ends when the\n' +
        'queue is empty.\n\nExamples:\n  $ pismak results pages-done -o results\n' +
        '  $ pismak results pages-done -o results --messages --wait 100',
    )
    .action(
      run<Options>(async (session, queue = '') => {
        const { options, out, clock, signal } = session;
        const until: Until =
          options.wait !== undefined
            ? { kind: 'count', count: options.wait }
            : { kind: options.follow ? 'interrupted' : 'empty' };
        await openOutputDirectory(options.output);
        if (until.kind !== 'empty') await requireRunning(session);
        const client = await session.client();
        const directory = await ResultDirectory.open(options.output, {
          messages: options.messages ?? false,
          clock,
        });
        const bar = session.progress('results', options.wait);
        try {
          await collectResults({
            client,
            directory,
            queue,
            until,
            signal,
            progress: (done) => bar.set(done),
          });
        } catch (error) {
          if (!(signal.aborted && options.follow)) throw error;
        } finally {
          bar.close();
          await directory.close();
          if (out.json) out.object({ queue, output: options.output, ...directory.counts });
          else out.say(`${describeCounts(directory.counts)} in ${options.output}`);
        }
      }),
    );
};
export default add;
