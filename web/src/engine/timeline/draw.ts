import { ticksOf } from './range.ts';
import type { GroupRow, Row } from './rows.ts';
import { servedPerColumn } from './rows.ts';
import type { Range, Trace } from './trace.ts';

export interface Palette {
  ink: string;
  soft: string;
  line: string;
  raised: string;
  failed: string;
  warning: string;
  series: readonly string[];
}

/** Where things are, in CSS pixels. */
export interface Layout {
  width: number;
  height: number;
  /** Room for the names at the left, and for labels at the right. */
  left: number;
  right: number;
  rowHeight: number;
  /** How far the rows are scrolled. */
  top: number;
}

export interface Look {
  palette: Palette;
  /** Their order gives the stages their colours. */
  stages: readonly string[];
  /** The others are faint. */
  highlighted: string | undefined;
  /** The row with the keyboard. */
  current: number | undefined;
  /** The moment under the pointer or the keyboard. */
  cursor: number | undefined;
  nameOf: (row: Row) => string;
}

const font = '12px system-ui, sans-serif';

/** The colour of a stage; from the seventh on they come again, striped. */
export function signOf(
  stage: string,
  stages: readonly string[],
  palette: Palette,
): { colour: string; striped: boolean } {
  const index = stages.indexOf(stage);
  const { series, soft } = palette;
  if (index < 0) return { colour: soft, striped: false };
  return { colour: series[index % series.length] ?? soft, striped: index >= series.length };
}

export function drawRows(
  context: CanvasRenderingContext2D,
  rows: readonly Row[],
  range: Range,
  layout: Layout,
  look: Look,
): void {
  const { width, height, rowHeight, top } = layout;
  const { palette } = look;
  context.clearRect(0, 0, width, height);
  context.font = font;
  context.textBaseline = 'middle';
  drawGrid(context, range, layout, palette, 0, height);
  const first = Math.max(0, Math.floor(top / rowHeight));
  const last = Math.min(rows.length, Math.ceil((top + height) / rowHeight));
  for (let index = first; index < last; index++) {
    const row = rows[index];
    if (!row) continue;
    const y = index * rowHeight - top;
    if (index === look.current) {
      context.fillStyle = palette.line;
      context.globalAlpha = 0.5;
      context.fillRect(0, y, width, rowHeight);
      context.globalAlpha = 1;
    }
    drawName(context, row, y, layout, look);
    if (row.kind === 'group') drawShares(context, row, range, y, layout, look);
    else drawSpans(context, row, range, y, layout, look);
  }
  drawCursor(context, range, layout, look, height);
}

function drawName(
  context: CanvasRenderingContext2D,
  row: Row,
  y: number,
  { left, rowHeight }: Layout,
  { palette, nameOf }: Look,
): void {
  const isUnusual = row.kind === 'worker' ? row.unusual.length > 0 : row.unusual > 0;
  context.fillStyle = row.kind === 'group' ? palette.ink : palette.soft;
  context.font = row.kind === 'group' ? `600 ${font}` : font;
  context.textAlign = 'left';
  const indent = 14;
  const middle = y + rowHeight / 2;
  if (row.kind === 'group') {
    context.fillStyle = palette.soft;
    context.beginPath();
    if (row.isOpen) triangle(context, [2, middle - 2], [10, middle - 2], [6, middle + 3]);
    else triangle(context, [4, middle - 4], [4, middle + 4], [9, middle]);
    context.fill();
    context.fillStyle = palette.ink;
  } else if (isUnusual) {
    // A diamond warns, as everywhere.
    context.fillStyle = palette.warning;
    context.beginPath();
    triangle(context, [6, middle - 4], [10, middle], [6, middle + 4]);
    triangle(context, [6, middle - 4], [2, middle], [6, middle + 4]);
    context.fill();
    context.fillStyle = palette.ink;
  }
  context.fillText(cutText(context, nameOf(row), left - indent - 8), indent, middle);
}

function triangle(context: CanvasRenderingContext2D, ...corners: [number, number][]): void {
  for (const [index, [x, y]] of corners.entries()) index === 0 ? context.moveTo(x, y) : context.lineTo(x, y);
  context.closePath();
}

function cutText(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = text.length;
  // The end of a name tells workers apart more often than its beginning.
  while (end > 1 && context.measureText(`…${text.slice(text.length - end)}`).width > width) end--;
  return `…${text.slice(text.length - end)}`;
}

function drawSpans(
  context: CanvasRenderingContext2D,
  row: Extract<Row, { kind: 'worker' }>,
  range: Range,
  y: number,
  layout: Layout,
  look: Look,
): void {
  const { left, right, width, rowHeight } = layout;
  const { palette, stages, highlighted } = look;
  const plot = width - left - right;
  const scale = plot / (range.to - range.from);
  const gap = rowHeight > 14 ? 4 : 2;
  const barHeight = rowHeight - gap;
  for (const span of row.spans) {
    if (span.to <= range.from || span.from >= range.to) continue;
    const from = left + Math.max(0, span.from - range.from) * scale;
    const to = left + Math.min(range.to - range.from, span.to - range.from) * scale;
    const wide = Math.max(1, to - from - (to - from > 4 ? 1 : 0));
    if (span.kind === 'idle') {
      context.fillStyle = palette.line;
      context.fillRect(from, y + rowHeight / 2 - 0.5, to - from, 1);
      continue;
    }
    const { colour, striped } = signOf(span.stage, stages, palette);
    context.globalAlpha = highlighted !== undefined && highlighted !== span.stage ? 0.15 : 0.9;
    if (span.kind === 'failed') {
      context.fillStyle = palette.failed;
      context.fillRect(from, y + gap / 2, wide, barHeight);
      stripe(context, from, y + gap / 2, wide, barHeight, palette.raised);
    } else if (span.kind === 'switching') {
      context.fillStyle = colour;
      context.fillRect(from, y + rowHeight / 2 - 1.5, Math.max(1, to - from), 3);
    } else {
      context.fillStyle = colour;
      box(context, from, y + gap / 2, wide, barHeight);
      if (striped) stripe(context, from, y + gap / 2, wide, barHeight, palette.raised);
    }
    context.globalAlpha = 1;
  }
}

function box(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number): void {
  if (width < 6) {
    context.fillRect(x, y, width, height);
    return;
  }
  context.beginPath();
  context.roundRect(x, y, width, height, 2);
  context.fill();
}

function stripe(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = x - height - (x % 6); at < x + width; at += 6) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

/** A group: stage upon stage, as high as the share of its workers that serve it. */
function drawShares(
  context: CanvasRenderingContext2D,
  row: GroupRow,
  range: Range,
  y: number,
  layout: Layout,
  look: Look,
): void {
  if (row.isOpen) return;
  const { left, right, width, rowHeight } = layout;
  const { palette, stages, highlighted } = look;
  const columns = Math.max(1, Math.floor((width - left - right) / 2));
  const served = servedPerColumn(row.workers, range, columns);
  const barHeight = rowHeight - 4;
  const filled = new Float32Array(columns);
  const order = [...served.keys()].sort((a, b) => stages.indexOf(a) - stages.indexOf(b));
  context.fillStyle = palette.line;
  context.fillRect(left, y + rowHeight - 2, columns * 2, 1);
  for (const stage of order) {
    context.fillStyle = signOf(stage, stages, palette).colour;
    context.globalAlpha = highlighted !== undefined && highlighted !== stage ? 0.15 : 0.9;
    const counts = served.get(stage);
    for (let column = 0; column < columns; column++) {
      const share = Math.min(1, (counts?.[column] ?? 0) / row.workers.length);
      if (share === 0) continue;
      const below = filled[column] ?? 0;
      filled[column] = Math.min(1, below + share);
      const high = share * barHeight;
      context.fillRect(left + column * 2, y + 2 + barHeight * (1 - below) - high, 2, high);
    }
  }
  context.globalAlpha = 1;
}

function drawGrid(
  context: CanvasRenderingContext2D,
  range: Range,
  { width, left, right }: Layout,
  { line }: Palette,
  from: number,
  to: number,
): void {
  const plot = width - left - right;
  context.fillStyle = line;
  for (const { at } of ticksOf(range, plot / 90)) {
    const x = Math.round(left + ((at - range.from) / (range.to - range.from)) * plot);
    context.fillRect(x, from, 1, to - from);
  }
}

function drawCursor(
  context: CanvasRenderingContext2D,
  range: Range,
  { width, left, right }: Layout,
  { cursor, palette }: Look,
  height: number,
): void {
  if (cursor === undefined || cursor < range.from || cursor > range.to) return;
  const x = left + ((cursor - range.from) / (range.to - range.from)) * (width - left - right);
  context.fillStyle = palette.ink;
  context.globalAlpha = 0.6;
  context.fillRect(Math.round(x), 0, 1, height);
  context.globalAlpha = 1;
}

export const axisHeight = 22;

export interface QueueLine {
  stage: string;
  points: Trace['queues'][number]['points'];
}

/** How long queues were, on the same axis as the rows, with the times below. */
export function drawQueues(
  context: CanvasRenderingContext2D,
  lines: readonly QueueLine[],
  range: Range,
  layout: Layout,
  look: Look & {
    most: number;
    labels: readonly { text: string; top: number; stage: string }[];
    clock: (at: number) => string;
    number: (value: number) => string;
  },
): void {
  const { width, height, left, right } = layout;
  const { palette, most, stages, highlighted } = look;
  const plot = width - left - right;
  const bottom = height - axisHeight;
  const x = (at: number) => left + ((at - range.from) / (range.to - range.from)) * plot;
  const y = (length: number) => bottom - (length / most) * (bottom - 10);
  context.clearRect(0, 0, width, height);
  context.font = font;
  drawGrid(context, range, layout, palette, 0, bottom);
  context.fillStyle = palette.line;
  context.fillRect(left, bottom, plot, 1);
  context.fillStyle = palette.soft;
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillText(look.number(most), left - 8, y(most) + 2);
  context.fillText('0', left - 8, bottom - 4);
  context.textAlign = 'center';
  for (const { at } of ticksOf(range, plot / 90))
    context.fillText(look.clock(at), Math.min(Math.max(x(at), left + 16), width - right - 16), height - 9);
  context.save();
  context.beginPath();
  context.rect(left, 0, plot, bottom + 1);
  context.clip();
  for (const { stage, points } of lines) {
    const { colour, striped } = signOf(stage, stages, palette);
    context.globalAlpha = highlighted !== undefined && highlighted !== stage ? 0.2 : 1;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(striped ? [4, 3] : []);
    context.beginPath();
    // Steps: a length holds until the next one; what nobody knows is a gap.
    let isDrawing = false;
    for (const [index, { at, length }] of points.entries()) {
      const until = Math.min(points[index + 1]?.at ?? range.to, range.to);
      if (length === null || until < range.from) {
        isDrawing = false;
        continue;
      }
      if (isDrawing) context.lineTo(x(at), y(length));
      else context.moveTo(x(Math.max(at, range.from)), y(length));
      context.lineTo(x(until), y(length));
      isDrawing = true;
    }
    context.stroke();
  }
  context.restore();
  context.globalAlpha = 1;
  context.textAlign = 'left';
  for (const { text, top, stage } of look.labels) {
    context.fillStyle = signOf(stage, stages, palette).colour;
    context.fillText(cutText(context, text, right - 12), width - right + 8, top + 8);
  }
  drawCursor(context, range, layout, look, bottom);
}
