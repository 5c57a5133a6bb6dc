import { writeFile } from 'node:fs/promises';
import { reasonOf } from '../../engine/files/system-error.ts';
import { PismakError } from '../../engine/ground/errors.ts';
import { traceShow } from '../../engine/operation/operations/trace.ts';
import { drawSvg } from '../../engine/trace/draw-svg.ts';
import { drawText } from '../../engine/trace/draw-text.ts';
import { withoutIdleQueues } from '../../engine/trace/stage-signs.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { type Moment, moment } from '../../terminal/options/moment.ts';
import { formatCount } from '../../terminal/output/format.ts';

interface Options {
  from?: Moment;
  to?: Moment;
  svg?: string;
}

const add: AddGroup = (group, { run }) => {
  group
    .option(
      '--from <time>',
      'start of the trace: a time, or an age such as 2h (default: an hour before its end, or the first recorded event)',
      moment,
    )
    .option('--to <time>', 'end of the trace (default: now)', moment)
    .option('--svg <file>', 'draw the trace into this file')
    .addHelpText(
      'after',
      '\nShows which worker served which stage and when, above the lengths of the queues.\n\nExamples:\n  $ pismak trace\n' +
        '  $ pismak trace --from 2h --svg trace.svg\n  $ pismak trace --from 2026-03-01T08:00 --to 2026-03-01T12:00 --json',
    )
    .action(
      run<Options>(async ({ client, clock, options, out, stderr }) => {
        const now = clock.now();
        const to = options.to?.(now) ?? now;
        const from = options.from?.(now);
        if (from !== undefined && from >= to)
          throw new PismakError('invalid-input', '--from must be before --to');
        // A drawing has room for more columns than a terminal, up to a limit.
        const trace = await (await client()).call(traceShow, { from, to, limit: 2000 });
        if (options.svg !== undefined) {
          await writeFile(options.svg, drawSvg(trace)).catch((error: unknown) => {
            throw new PismakError('invalid-input', `${options.svg} can't be written: ${reasonOf(error)}`);
          });
          const { workers, queues } = withoutIdleQueues(trace);
          out.say(
            `${formatCount(workers.length, 'worker')} and ${formatCount(queues.length, 'queue')} drawn to ${options.svg}`,
          );
        }
        if (out.json) out.object(trace);
        else if (options.svg === undefined) out.text(drawText(trace, { width: stderr.columns ?? 100 }));
      }),
    );
};
export default add;
