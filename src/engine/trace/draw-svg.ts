import { type StageSign, stageSigns, withoutIdleQueues } from './stage-signs.ts';
import { patternsOf } from './svg-fills.ts';
import { drawLegend } from './svg-legend.ts';
import { drawQueues } from './svg-queues.ts';
import { short, svgText, textWidth } from './svg-text.ts';
import { drawWorkers, textAt } from './svg-workers.ts';
import { thinTrace } from './thin-trace.ts';
import { formatMoment, type Tick, timeTicks } from './time-axis.ts';
import type { Trace } from './trace.ts';

export interface SvgOptions {
  title?: string;
  width?: number;
  /** Whether times count from 0 and are shown as 0:00:00. */
  relative?: boolean;
}

/** More spans than this are merged, so that the file stays below a few megabytes. */
const mostSpans = 150_000;
const marginRight = 52;

/** The trace as a picture: the Gantt chart of the workers above the lengths of the queues, on one time axis. */
export function drawSvg(whole: Trace, options: SvgOptions = {}): string {
  const { width = 1200, relative = false } = options;
  const from = whole.from;
  const to = Math.max(whole.to, from + 1);
  const busy = withoutIdleQueues({ ...whole, to });
  const signs = stageSigns(busy);
  const left = marginLeft(busy, signs);
  const right = width - marginRight;
  const rows = Math.max(1, busy.workers.length, busy.queues.length);
  const trace = thinTrace(busy, Math.max(20, Math.min(right - left, Math.floor(mostSpans / rows))));
  const x = (at: number) => left + ((at - from) / (to - from)) * (right - left);

  const title = options.title ?? 'What the workers did';
  const when = `${formatMoment(from, relative)} to ${formatMoment(to, relative)}`;
  const legend = drawLegend([...signs.values()], { left: 16, right: width - 16, top: 44 });
  const place = { left, right, x, signs };
  const workersTop = 44 + legend.height + 14;
  const rowHeight = between(9, 560 / Math.max(1, trace.workers.length), 22);
  const workersBottom = workersTop + rowHeight * trace.workers.length;
  const queuesTop = workersBottom + 22;
  const panelHeight = between(30, 420 / Math.max(1, trace.queues.length), 64);
  const bottom = queuesTop + panelHeight * trace.queues.length + 6;
  const ticks = timeTicks({ from, to, relative, most: Math.max(2, Math.floor((right - left) / 90)) });
  const height = Math.ceil(bottom + 44);

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" `,
    'role="img" font-family="system-ui, \'Helvetica Neue\', Arial, sans-serif" fill="#222">',
    `<title>${svgText(`${title}, ${when}`)}</title>`,
    patternsOf(signs.values()),
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    textAt(16, 22, 16, 'font-weight="600"', svgText(title)),
    textAt(width - 16, 22, 12, 'text-anchor="end" fill="#555"', svgText(when)),
    legend.svg,
    drawAxis(ticks, { x, top: workersTop - 4, bottom, left, right }),
    drawWorkers(trace.workers, { ...place, top: workersTop, rowHeight }),
    textAt(left, workersBottom + 14, 10, 'fill="#555"', trace.queues.length > 0 ? 'messages that wait' : ''),
    drawQueues(trace.queues, { ...place, top: queuesTop, panelHeight }),
    '</svg>\n',
  ].join('\n');
}

function drawAxis(
  ticks: readonly Tick[],
  place: { x(at: number): number; top: number; bottom: number; left: number; right: number },
): string {
  const { x, top, bottom, left, right } = place;
  const lines = ticks.map(({ at }) => `M${short(x(at))} ${short(top)}V${short(bottom + 4)}`).join('');
  const texts = ticks.map(({ at, label, date }) => {
    const below = date ? textAt(x(at), bottom + (label ? 28 : 14), 10, 'text-anchor="middle"', date) : '';
    return (label ? textAt(x(at), bottom + 14, 10, 'text-anchor="middle"', label) : '') + below;
  });
  return (
    `<path d="${lines}" stroke="#ececec"/><path d="M${left} ${short(bottom)}H${right}" stroke="#555"/>` +
    `<g fill="#444">${texts.join('')}</g>`
  );
}

function marginLeft({ workers, queues }: Trace, signs: ReadonlyMap<string, StageSign>): number {
  const names = [
    ...workers.map(({ id }) => id),
    ...queues.map(({ stage }) => `${signs.get(stage)?.number}  ${stage}`),
  ];
  return Math.round(between(60, Math.max(0, ...names.map((name) => textWidth(name, 11))) + 24, 200));
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
