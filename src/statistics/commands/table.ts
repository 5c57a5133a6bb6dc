import type { Command } from 'commander';
import type { z } from 'zod';
import { csvRecord } from '../../formats/csv/write-csv.ts';
import { numberBetween } from '../../terminal/options/option-values.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Shell } from '../../terminal/shell.ts';
import { statisticsTable } from '../operations/read.ts';
import { oneOf } from './one-of.ts';
import { addQuestionOptions, type QuestionOptions, readQuestion } from './question-options.ts';

interface TableOptions extends QuestionOptions {
  sort: string;
  limit: number;
  offset: number;
  segment?: 'split';
  csv?: boolean;
}

type Answer = z.output<typeof statisticsTable.output>;

/** `statistics table`. */
export function addTable(group: Command, shell: Shell): void {
  const table = shell.command(
    group,
    'table <kind>',
    'Show entities with their sums, and the totals of all that the filter keeps',
    'statistics table keyword --user 3 --from 2026-01-01 --to 2026-03-31 --sort cost:desc --limit 50',
  );
  addQuestionOptions(table)
    .option('--sort <column>', 'dimension, derived column, name or key, with :asc or :desc', 'name:asc')
    .option('--limit <number>', 'rows per page', numberBetween(1, 1000), 50)
    .option('--offset <number>', 'rows to skip', numberBetween(0, 1_000_000), 0)
    .option('--segment <by>', '`split`: show each row by split, too', oneOf(['split']))
    .option('--csv', 'print CSV')
    .action(
      shell.run<TableOptions>(async ({ options, out, client, clock }, kind = '') => {
        const { sort, limit, offset, segment } = options;
        const question = await readQuestion(kind, options, { client, clock });
        const input = { ...question, sort, limit, offset, ...(segment && { segment }) };
        const answer = await (await client()).call(statisticsTable, input);
        if (out.json) return out.object(answer);
        if (options.csv) return out.text(csvRows(answer).map(csvRecord).join('\n'));
        showTable(answer, out);
      }),
    );
}

type Line = { entity: string; name: string; status: string } & Pick<Answer['totals'], 'sums' | 'derived'>;

export function showTable({ rows, count, totals }: Answer, out: Output): void {
  const lines: Line[] = rows.flatMap(({ splits, ...row }) => [row, ...splitLines(splits)]);
  const title = `all ${count}`;
  lines.push({ entity: title, name: '', status: '', ...totals }, ...splitLines(totals.splits));
  out.list(lines, [
    { title: 'entity', of: (row) => row.entity },
    { title: 'name', of: (row) => (row.name === row.entity ? '' : row.name) },
    { title: 'status', of: (row) => row.status },
    ...Object.keys(totals.sums).map((name) => ({ title: name, of: (row: Line) => row.sums[name] })),
    ...Object.keys(totals.derived).map((name) => ({
      title: name,
      align: 'right' as const,
      of: (row: Line) => shortRatio(row.derived[name]),
    })),
  ]);
}

/** The rows below a row, one for each split, without ratios. */
function splitLines(splits: Answer['totals']['splits']): Line[] {
  return Object.entries(splits ?? {}).map(([split, sums]) => ({
    entity: `  ${split}`,
    name: '',
    status: '',
    sums,
    derived: {},
  }));
}

function shortRatio(ratio: number | null | undefined): string {
  if (ratio === null || ratio === undefined) return '';
  return Math.abs(ratio) < 1000 ? ratio.toPrecision(3) : ratio.toFixed(0);
}

function csvRows({ rows, totals }: Answer): (string | number | null | undefined)[][] {
  const [names, derived] = [Object.keys(totals.sums), Object.keys(totals.derived)];
  return [
    ['entity', 'name', 'status', 'parent', ...names, ...derived],
    ...rows.map((row) => [
      row.entity,
      row.name,
      row.status,
      row.parent,
      ...names.map((name) => row.sums[name]),
      ...derived.map((name) => row.derived[name]),
    ]),
  ];
}
