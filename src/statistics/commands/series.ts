import type { Command } from 'commander';
import { PismakError } from '../../engine/ground/errors.ts';
import { csvRecord } from '../../formats/csv/write-csv.ts';
import { formatBytes, formatCount } from '../../terminal/output/format.ts';
import type { Output } from '../../terminal/output/output.ts';
import type { Shell } from '../../terminal/shell.ts';
import { granularities } from '../calendar/days.ts';
import { statisticsExplain, statisticsSeries } from '../operations/read.ts';
import type { NamedPoint, SeriesAnswer } from '../query/answer.ts';
import { drawChart } from './chart.ts';
import { oneOf } from './one-of.ts';
import { addQuestionOptions, type QuestionOptions, readQuestion } from './question-options.ts';

interface SeriesOptions extends QuestionOptions {
  granularity: 'day';
  total?: boolean;
  csv?: boolean;
  chart?: string | boolean;
}

const units = 'hour, day, week, month, quarter, year or none';

/** `statistics series` and `statistics explain`. */
export function addSeries(group: Command, shell: Shell): void {
  const series = shell.command(
    group,
    'series <kind>',
    'Show sums over time of the entities that a filter keeps',
    'statistics series keyword --user 3 --from 2026-01-01 --to 2026-03-31 --granularity week --total',
    'statistics series keyword --user 3 --filter "cost<5000" --filter "clicks>5" --chart clicks',
  );
  addQuestionOptions(series)
    .option('--granularity <unit>', units, oneOf(granularities), 'day')
    .option('--total', 'show the sums over the whole interval, too')
    .option('--csv', 'print CSV')
    .option('--chart [dimension]', 'draw a chart of a dimension; default: the first')
    .action(
      shell.run<SeriesOptions>(async ({ options, out, client, clock, stderr }, kind = '') => {
        const question = await readQuestion(kind, options, { client, clock });
        const answer = await (await client()).call(statisticsSeries, {
          ...question,
          granularity: options.granularity,
          includeTotal: options.total ?? false,
        });
        if (out.json) return out.object(answer);
        if (options.csv) return out.text(csvRows(answer).map(csvRecord).join('\n'));
        if (options.chart) return out.text(charts(kind, answer, options.chart, stderr.columns));
        showSeries(answer, out);
      }),
    );

  const explain = shell.command(
    group,
    'explain <kind>',
    statisticsExplain.summary,
    'statistics explain keyword --user 3 --from 2026-01-03 --to 2026-03-31 --granularity month',
  );
  addQuestionOptions(explain)
    .option('--granularity <unit>', units, oneOf(granularities), 'day')
    .action(
      shell.run<SeriesOptions>(async ({ options, out, client, clock }, kind = '') => {
        const question = await readQuestion(kind, options, { client, clock });
        const input = { ...question, granularity: options.granularity };
        const answer = await (await client()).call(statisticsExplain, input);
        if (out.json) return out.object(answer);
        for (const { id, start, end, scans } of answer.points)
          out.say(`${id} (${start} to ${end}): ${scans.join(' ') || 'nothing'}`);
        if (answer.filter.length > 0) out.say(`filter: ${answer.filter.join(' ')}`);
        const { blocks, rows, loaded, loadedBytes } = answer.read;
        out.say(
          `${formatCount(rows, 'row')} in ${formatCount(blocks, 'block')} read, ${loaded} from the store (${formatBytes(loadedBytes)}); ${formatCount(answer.entities, 'entity', 'entities')}; ${answer.ms.toFixed(1)} ms`,
        );
      }),
    );
}

export function showSeries({ points, groups, total, entities }: SeriesAnswer, out: Output): void {
  const rows = groups
    ? groups.flatMap(({ entity, name, points: ofGroup }) =>
        ofGroup.map((point) => ({ entity, name, ...point })),
      )
    : points.map((point) => ({ entity: '', name: '', ...point }));
  const names = Object.keys(rows[0]?.sums ?? total ?? {});
  const all = total
    ? [...rows, { entity: '', name: '', id: 'total', start: '', end: '', sums: total }]
    : rows;
  out.list(
    all,
    [
      ...(groups ? [{ title: 'entity', of: (row: (typeof all)[number]) => row.name || row.entity }] : []),
      { title: 'id', of: (row) => row.id },
      { title: 'start', of: (row) => row.start },
      { title: 'end', of: (row) => row.end },
      ...names.map((name) => ({ title: name, of: (row: (typeof all)[number]) => row.sums[name] })),
    ],
    'no points',
  );
  out.say(`${entities} ${entities === 1 ? 'entity' : 'entities'}`);
}

function csvRows({ points, groups }: SeriesAnswer): (string | number | null | undefined)[][] {
  const names = Object.keys((points[0] ?? groups?.[0]?.points[0])?.sums ?? {});
  const row = ({ id, start, end, sums }: NamedPoint) => [id, start, end, ...names.map((name) => sums[name])];
  const title = ['id', 'start', 'end', ...names];
  if (!groups) return [title, ...points.map(row)];
  return [
    ['entity', ...title],
    ...groups.flatMap((group) => group.points.map((point) => [group.entity, ...row(point)])),
  ];
}

export function charts(
  kind: string,
  { points, groups }: SeriesAnswer,
  wanted: string | boolean,
  width: number | undefined,
): string {
  const known = Object.keys((points[0] ?? groups?.[0]?.points[0])?.sums ?? {});
  const name = typeof wanted === 'string' ? wanted : (known[0] ?? '');
  if (known.length > 0 && !known.includes(name))
    throw new PismakError('invalid-input', `--chart: there is no ${name}; use one of ${known.join(', ')}`);
  const draw = (title: string, list: readonly NamedPoint[]) =>
    drawChart(
      title,
      list.map(({ id, sums }) => ({ label: id, value: sums[name] ?? 0 })),
      width,
    );
  if (!groups) return draw(`${name} of ${kind}`, points);
  return groups
    .map((group) =>
      draw(`${name} of ${group.name || group.entity || 'those without a parent'}`, group.points),
    )
    .join('\n\n');
}
