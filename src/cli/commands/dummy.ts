import { randomBytes } from 'node:crypto';
import { newId } from '../../engine/ground/identity.ts';
import { type Clock, sleep } from '../../engine/time/clock.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { anyNumber, byteCount, wholeNumber } from '../../terminal/options/option-values.ts';
import { addTargetOptions, type TargetOptions, targetOf } from '../../terminal/options/request-target.ts';
import { formatBytes, formatCount, formatDuration } from '../../terminal/output/format.ts';
import { type PlannedRequest, submitRequests } from '../../terminal/results/submit-requests.ts';

interface Options extends TargetOptions {
  size: number;
  spread: number;
  count: number;
  series: number;
  period: number;
}

const add: AddGroup = (group, { run }) => {
  addTargetOptions(group)
    .option(
      '--size <bytes>',
      'size of the file in each request; dummy stages take longer for larger files',
      byteCount,
      1000,
    )
    .option('--spread <bytes>', 'vary the size by up to this much', byteCount, 0)
    .option('--count <number>', 'requests in a series', wholeNumber, 100)
    .option('--series <number>', 'number of series', wholeNumber, 1)
    .option('--period <seconds>', 'time from the start of one series to the start of the next', anyNumber, 0)
    .addHelpText(
      'after',
      '\nUses the sample pipeline `demo` by default.\n\nExamples:\n  $ pismak dummy --count 1000\n' +
        '  $ pismak dummy --count 5 --series 10 --period 220 --size 20k --spread 5k --stages a,b,out',
    )
    .action(
      run<Options>(async (session) => {
        const { options, clock, signal, out, stderr } = session;
        const target = targetOf(options, 'demo');
        const client = await session.client();
        const bar = session.progress('requests', options.count * options.series);
        const start = clock.now();
        let sent = 0;
        let bytes = 0;
        await submitRequests({
          client,
          target,
          clock,
          signal,
          requests: generatedRequests(options, clock, signal, Math.random),
          submitted({ size }) {
            bytes += size;
            bar.set(++sent);
          },
          waiting: (reason) => stderr.write(`${reason}; waiting\n`),
        }).finally(() => {
          bar.close();
          const tookMs = clock.now() - start;
          if (out.json) out.object({ sent, bytes, tookMs });
          else
            out.say(
              `${formatCount(sent, 'request')} sent (${formatBytes(bytes)}) in ${formatDuration(tookMs)}`,
            );
        });
      }),
    );
};
export default add;

/** Yields series of requests, each series at its time. */
export async function* generatedRequests(
  options: Pick<Options, 'size' | 'spread' | 'count' | 'series' | 'period'>,
  clock: Clock,
  signal: AbortSignal,
  random: () => number,
): AsyncGenerator<PlannedRequest> {
  const start = clock.now();
  for (let series = 0; series < options.series; series++) {
    const early = start + series * options.period * 1000 - clock.now();
    if (early > 0) await sleep(clock, early, signal);
    for (let number = 0; number < options.count; number++) {
      signal.throwIfAborted();
      const deviation = Math.round((random() * 2 - 1) * options.spread);
      const size = Math.max(0, options.size + deviation);
      const content = async function* () {
        yield randomBytes(size);
      };
      yield { uuid: newId(clock), name: 'dummy.bin', size, content };
    }
  }
}
