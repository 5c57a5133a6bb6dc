import type { Report } from '../../engine/simulation/report.ts';
import type { Output } from '../../terminal/output/output.ts';

/** Prints the results of the simulation, one column for each policy. */
export function showReports(reports: readonly Report[], out: Output): void {
  const [first] = reports;
  const rows: [string, (report: Report) => string][] = [
    ['requests finished', ({ finished, requests }) => `${finished} of ${requests}`],
    ['time in the system: mean', ({ meanTimeInSystem }) => seconds(meanTimeInSystem)],
    ['median', ({ medianTimeInSystem }) => seconds(medianTimeInSystem)],
    ['95 %', ({ p95TimeInSystem }) => seconds(p95TimeInSystem)],
    ['longest', ({ maxTimeInSystem }) => seconds(maxTimeInSystem)],
    ['reference: mean', ({ referenceMean }) => seconds(referenceMean)],
    ...Object.keys(first?.waiting ?? {}).map((stage): [string, (report: Report) => string] => [
      `waiting for ${stage}`,
      ({ waiting }) => seconds(waiting[stage] ?? 0),
    ]),
    ['switches', ({ switches }) => String(Math.round(switches))],
    ['makespan', ({ makespan }) => seconds(makespan)],
    ['workers busy', ({ utilisation }) => share(utilisation)],
    ['workers switching', ({ switching }) => share(switching)],
  ];
  out.list(rows, [
    { title: '', of: ([name]) => name },
    ...reports.map((report) => ({
      title: report.policy,
      of: ([, of]: (typeof rows)[number]) => of(report),
      align: 'right' as const,
    })),
  ]);
  if (reports.some(({ finished, requests }) => finished < requests))
    out.say('The times exclude unfinished requests, which waited a day for a stage that no worker served.');
}

function seconds(number: number): string {
  return `${number.toFixed(1)} s`;
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
