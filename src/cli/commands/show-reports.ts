import type { Report } from '../../engine/simulation/report.ts';
import type { Output } from '../../terminal/output/output.ts';

/** What was simulated, one column for each policy. */
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
    ['workers work', ({ utilisation }) => share(utilisation)],
    ['workers switch', ({ switching }) => share(switching)],
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
    out.say('What was never finished counts nowhere: it waited for a stage that nobody served for a day.');
}

function seconds(number: number): string {
  return `${number.toFixed(1)} s`;
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}
