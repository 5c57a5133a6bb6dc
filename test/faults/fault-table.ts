import type { FaultFigures } from './survive-faults.ts';

const seconds = (ms: number) => (ms / 1000).toFixed(1);

/** The figures in Markdown, as they stand in docs/reliability.md. */
export function faultTable({ faults, balance, collected, deposed, unable, usualMs }: FaultFigures): string {
  const rows = faults.map(
    ({ what, underWay, workGoesOnMs, allOutMs, note }) =>
      `| ${what} | ${underWay} | ${seconds(workGoesOnMs)} | ${seconds(allOutMs)} | ${note} |`,
  );
  const { sent, arrived, lost, failed, duplicates, redelivered } = balance;
  return [
    '| fault | under way | work goes on after (s) | all of before out after (s) | also observed |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `${sent} requests sent, ${arrived} messages came out: ${lost} lost, ${failed} failed, ${duplicates} duplicates` +
      ` (${redelivered} of them a redelivery to the checker itself). The collector saved ${collected.saved} and` +
      ` suppressed ${collected.duplicate}. Without faults a request takes ${seconds(usualMs)} s.`,
    '',
    `A fourth worker, which can load none of the stages, tried ${unable.failedLoads} times.`,
    '',
    `A leader that was stopped until another one led wrote on: ${deposed.answer}`,
  ].join('\n');
}
