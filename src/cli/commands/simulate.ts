import { writeFile } from 'node:fs/promises';
import { messageOf, PismakError } from '../../engine/ground/errors.ts';
import { watchdogSimulate } from '../../engine/operation/operations/simulate.ts';
import { readWorkload } from '../../engine/simulation/read-workload.ts';
import { SimulatedTrace } from '../../engine/simulation/recorder.ts';
import { type Report, report } from '../../engine/simulation/report.ts';
import type { Workload } from '../../engine/simulation/workload.ts';
import { workloads } from '../../engine/simulation/workloads.ts';
import { drawSvg } from '../../engine/trace/draw-svg.ts';
import { drawText } from '../../engine/trace/draw-text.ts';
import type { Trace } from '../../engine/trace/trace.ts';
import { type PolicyName, policies } from '../../engine/watchdog/policies.ts';
import type { AddGroup } from '../../terminal/command-group.ts';
import { anyNumber, commaList, wholeNumber } from '../../terminal/options/option-values.ts';
import { formatCount } from '../../terminal/output/format.ts';
import { showReports } from './show-reports.ts';

interface Options {
  policy: string;
  workload: string;
  priorities?: number[];
  warm?: number;
  seed: number;
  seeds: number;
  svg?: string;
}

const policyNames = Object.keys(policies) as PolicyName[];

const add: AddGroup = (group, { run }) => {
  group
    .option('--policy <policy>', `${policyNames.join(', ')}, or all to compare them`, 'flow')
    .option('--workload <name>', `${Object.keys(workloads).join(', ')}, or a TOML or JSON file`, 'seed')
    .option(
      '--priorities <list>',
      'administrative priorities, one for each stage in order, e.g. 0,1,2',
      (text) => commaList(text).map(anyNumber),
    )
    .option(
      '--warm <seconds>',
      'time of a switch to a stage that was loaded before (default: as long as the first time)',
      anyNumber,
    )
    .option(
      '--seed <number>',
      'seed of the random numbers: the same seed gives the same work',
      wholeNumber,
      1,
    )
    .option(
      '--seeds <count>',
      'number of runs, with this seed and the following ones; the figures are means',
      wholeNumber,
      1,
    )
    .option('--svg <file>', 'draw the run of the first seed into this file')
    .addHelpText(
      'after',
      '\nRuns the policy of the watchdog in virtual time. The reference is the result if switching cost nothing and\n' +
        'requests were served in the order of arrival. Needs no data directory; with --url, that server computes.\n\n' +
        'Examples:\n  $ pismak simulate\n  $ pismak simulate --policy all --seeds 20\n' +
        '  $ pismak simulate --workload examples/workload.toml --warm 0.2 --svg run.svg',
    )
    .action(
      run<Options>(async ({ options, out, signal, stderr, remote, client }) => {
        const { seed, seeds, svg } = options;
        const chosen = chosenPolicies(options.policy);
        if (seeds < 1) throw new PismakError('invalid-input', '--seeds must be 1 or more');
        if (svg !== undefined && chosen.length > 1)
          throw new PismakError('invalid-input', '--svg draws one policy: name it with --policy');
        const load = adjusted(await readWorkload(options.workload), options);
        const reports: Report[] = [];
        const traces: Trace[] = [];
        if (remote) {
          const answer = await (await client()).call(watchdogSimulate, {
            workload: load,
            policies: chosen,
            seed,
            seeds,
          });
          for (const { trace, ...figures } of answer.reports) {
            reports.push(figures);
            traces.push(trace);
          }
        } else
          for (const policy of chosen) {
            const recorder = new SimulatedTrace();
            reports.push(await report(load, { policy, seed, seeds, recorder, signal }));
            traces.push(recorder.trace);
          }
        const [first] = reports;
        if (out.json) out.object(first && chosen.length === 1 ? first : reports);
        else {
          out.say(title(load, options));
          showReports(reports, out);
          for (const [index, trace] of traces.entries()) {
            out.say('');
            if (traces.length > 1) out.say(`${chosen[index]}:`);
            out.text(drawText(trace, { width: stderr.columns ?? 100, relative: true }));
          }
        }
        const [trace] = traces;
        if (svg !== undefined && trace) {
          const picture = drawSvg(trace, {
            relative: true,
            title: `Policy ${chosen[0]}, workload ${load.name}, seed ${seed}`,
          });
          await writeFile(svg, picture).catch((error: unknown) => {
            throw new PismakError('invalid-input', `${svg} can't be written: ${messageOf(error)}`);
          });
          out.say(`drawn to ${svg}`);
        }
      }),
    );
};
export default add;

function chosenPolicies(name: string): PolicyName[] {
  const chosen = name === 'all' ? policyNames : policyNames.filter((each) => each === name);
  if (chosen.length > 0) return chosen;
  throw new PismakError(
    'invalid-input',
    `there is no policy ${name}; choose one of ${policyNames.join(', ')}, or all`,
  );
}

function adjusted(load: Workload, { priorities = [], warm }: Options): Workload {
  if (warm !== undefined && warm < 0) throw new PismakError('invalid-input', '--warm must be 0 or more');
  if (priorities.length > load.stages.length)
    throw new PismakError(
      'invalid-input',
      `--priorities has ${formatCount(priorities.length, 'number')}, but the workload has only ${formatCount(load.stages.length, 'stage')}`,
    );
  if (priorities.some((each) => each < -1))
    throw new PismakError('invalid-input', '--priorities must be -1 (never served), 0 or more');
  const stages = load.stages.map((stage, index) => ({
    ...stage,
    priority: priorities[index] ?? stage.priority,
  }));
  return { ...load, stages, ...(warm === undefined ? {} : { warm }) };
}

function title(load: Workload, { seed, seeds }: Options): string {
  const drawn = seeds === 1 ? `seed ${seed}` : `seeds ${seed} to ${seed + seeds - 1}`;
  return `workload ${load.name}${load.about ? ` (${load.about})` : ''}, ${drawn}`;
}
