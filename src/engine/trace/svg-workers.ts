import type { StageSign } from './stage-signs.ts';
import { hatchFill, solidFill } from './svg-fills.ts';
import { fitText, short, svgText, textWidth } from './svg-text.ts';
import type { Span, SpanKind, WorkerTrace } from './trace.ts';

/** The position of the workers in the picture. */
export interface WorkersPlace {
  top: number;
  left: number;
  right: number;
  rowHeight: number;
  x(at: number): number;
  signs: ReadonlyMap<string, StageSign>;
}

export const failedColour = '#1a1a1a';

/** The Gantt chart: one row per worker, one path for everything that looks the same. */
export function drawWorkers(workers: readonly WorkerTrace[], place: WorkersPlace): string {
  const { top, left, right, rowHeight } = place;
  const fontSize = Math.min(11, rowHeight - 1);
  const paths = new Map<string, { span: Span; path: string }>();
  const out: string[] = [];
  const labels: string[] = [];
  for (const [row, { id, spans }] of workers.entries()) {
    const y = top + row * rowHeight;
    const middle = y + rowHeight / 2;
    const name = svgText(fitText(id, fontSize, left - 14));
    out.push(`<path d="M${left} ${short(middle)}H${right}" stroke="#dcdcdc" stroke-dasharray="1 3"/>`);
    out.push(textAt(left - 6, middle, fontSize, `text-anchor="end"`, name));
    for (const span of spans) {
      const key = `${span.kind} ${span.stage}`;
      const drawn = paths.get(key) ?? { span, path: '' };
      drawn.path += box(span, y, place);
      paths.set(key, drawn);
      labels.push(labelOf(span, middle, fontSize, place));
    }
  }
  // Idle spans are the background, so draw them first.
  const order: SpanKind[] = ['idle', 'serving', 'switching', 'failed'];
  for (const kind of order) {
    for (const { span, path } of paths.values()) {
      if (span.kind === kind) out.push(`<path d="${path}" ${fillOf(span, place.signs)}/>`);
    }
  }
  return [...out, ...labels].join('');
}

function box({ from, to, kind }: Span, y: number, { x, rowHeight }: WorkersPlace): string {
  const gap = rowHeight > 12 ? 2 : 1;
  const height = kind === 'idle' ? Math.max(2, (rowHeight - gap) * 0.3) : rowHeight - gap;
  const start = x(from);
  // Even the shortest span leaves a mark.
  const width = short(Math.max(0.5, x(to) - start));
  const above = (rowHeight - height) / 2;
  return `M${short(start)} ${short(y + above)}h${width}v${short(height)}h-${width}z`;
}

export function fillOf({ kind, stage }: Pick<Span, 'kind' | 'stage'>, signs: WorkersPlace['signs']): string {
  const sign = signs.get(stage);
  if (kind === 'failed') return `fill="${failedColour}"`;
  if (kind === 'switching') return `fill="${hatchFill(sign)}"`;
  return `fill="${solidFill(sign)}"${kind === 'idle' ? ' fill-opacity=".45"' : ''}`;
}

/** The stage's name where there is room for it, else its number, else nothing. */
function labelOf(span: Span, middle: number, size: number, { x, signs }: WorkersPlace): string {
  const sign = signs.get(span.stage);
  const [start, end] = [x(span.from), x(span.to)];
  const texts =
    span.kind === 'failed'
      ? ['failed']
      : span.kind === 'serving' && sign
        ? [sign.stage, `${sign.number}`]
        : [];
  const text = texts.find((each) => textWidth(each, size) <= end - start - 6);
  if (text === undefined) return '';
  const fill = span.kind === 'serving' && sign?.light ? '#000' : '#fff';
  // Marks on the colour would make the text hard to read.
  const isMarked = span.kind === 'serving' && sign && sign.pattern > 0;
  const halo = isMarked ? ` stroke="${sign.colour}" stroke-width="3" paint-order="stroke"` : '';
  const style = `text-anchor="middle" fill="${fill}"${halo}`;
  return textAt((start + end) / 2, middle, size, style, svgText(text));
}

export function textAt(x: number, y: number, size: number, more: string, escaped: string): string {
  return `<text x="${short(x)}" y="${short(y + size * 0.36)}" font-size="${size}" ${more}>${escaped}</text>`;
}
