import { stageSigns, withoutIdleQueues } from './stage-signs.ts';
import { edgeOf, type Grid, spanColumns } from './thin-trace.ts';
import { timeTicks } from './time-axis.ts';
import { greatestLength, type QueueTrace, type Span, type Trace } from './trace.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwyz0123456789';
const bars = '▁▂▃▄▅▆▇█';
const longestLabel = 24;

/** The trace for a terminal: a row of letters for each worker, a row of bars for each queue, a time axis below. */
export function drawText(drawn: Trace, options: { width: number; relative?: boolean }): string {
  const trace = withoutIdleQueues(drawn);
  if (trace.workers.length === 0 && trace.queues.length === 0) return 'nothing is known about that time';
  const signs = stageSigns(trace);
  const letterOf = (stage: string) => letters[(signs.get(stage)?.number ?? 0) - 1] ?? '#';
  const labels = [...trace.workers.map(({ id }) => id), ...trace.queues.map(({ stage }) => `A ${stage}`)];
  const margin = Math.min(longestLabel, Math.max(...labels.map((label) => label.length))) + 1;
  const highest = trace.queues.map(({ points }) => greatestLength(points));
  const digits = Math.max(1, ...highest.map((length) => String(length).length));
  const columns = Math.max(10, Math.floor(options.width) - margin - digits - 3);
  const grid = { from: trace.from, to: trace.to, columns };
  const row = (label: string, cells: string, end = '') => `${fit(label, margin)}│${cells}│ ${end}`.trimEnd();

  const workers = trace.workers.map(({ id, spans }) => {
    const cells = spanColumns(spans, grid).map((span) => (span ? cellOf(span, letterOf(span.stage)) : ' '));
    return row(id, cells.join(''));
  });
  const queues = trace.queues.map(({ stage, points }, index) => {
    const most = highest[index] ?? 0;
    const cells = lengthColumns(points, grid).map((length) => barOf(length, most));
    return row(`${letterOf(stage)} ${stage}`, cells.join(''), String(most));
  });
  const indent = ' '.repeat(margin + 1);
  const axis = axisLines(trace, columns, options.relative ?? false).map((line) => indent + line);
  const legend = 'letter: serves that stage   /: switches   -: idle   !: failed   blank: not known';
  return [...workers, '', ...queues, ...axis, '', legend].join('\n');
}

function cellOf(span: Span, letter: string): string {
  if (span.kind === 'switching') return '/';
  if (span.kind === 'failed') return '!';
  if (span.kind === 'idle') return '-';
  // Only work of shared stages, which have no letter: a worker serves all of them at once.
  return span.stage === '' ? '*' : letter;
}

/** The maximum length in each column; null if unknown. */
function lengthColumns(points: QueueTrace['points'], grid: Grid): (number | null)[] {
  const cells: (number | null)[] = [];
  let next = 0;
  let length: number | null = null;
  for (let column = 0; column < grid.columns; column++) {
    const start = edgeOf(grid, column);
    const end = edgeOf(grid, column + 1);
    let most = (points[next]?.at ?? end) > start ? length : null;
    for (let point = points[next]; point && point.at < end; point = points[++next]) {
      length = point.length;
      if (length !== null) most = Math.max(most ?? 0, length);
    }
    cells.push(most);
  }
  return cells;
}

function barOf(length: number | null, most: number): string {
  if (length === null) return ' ';
  if (length === 0) return '.';
  return bars[Math.ceil((length / most) * bars.length) - 1] ?? ' ';
}

function axisLines({ from, to }: Trace, columns: number, relative: boolean): string[] {
  const marks: string[] = new Array(columns).fill('─');
  const times: string[] = new Array(columns + 12).fill(' ');
  const dates: string[] = new Array(columns + 12).fill(' ');
  for (const tick of timeTicks({ from, to, most: Math.max(2, columns / 14), relative })) {
    const column = Math.min(columns - 1, Math.floor(((tick.at - from) / (to - from)) * columns));
    marks[column] = '┴';
    write(times, column, tick.label);
    if (tick.date) write(dates, column, tick.date);
  }
  return [marks.join(''), times.join('').trimEnd(), dates.join('').trimEnd()].filter((line) => line !== '');
}

function write(cells: string[], column: number, text: string): void {
  for (const [index, character] of [...text].entries()) cells[column + index] = character;
}

function fit(text: string, width: number): string {
  const room = width - 1;
  return (text.length > room ? `${text.slice(0, room - 1)}…` : text).padEnd(width);
}
