import { displayWidth } from '../../terminal/output/printable.ts';

export interface ChartPoint {
  label: string;
  value: number;
}

const eighths = ' ▁▂▃▄▅▆▇█';
const height = 8;

/** A bar chart in text: as wide as the terminal allows, neighbours merged where there are more points than columns. */
export function drawChart(title: string, points: readonly ChartPoint[], width = 120): string {
  const most = Math.max(0, ...points.map(({ value }) => value));
  const axis = String(most);
  const room = Math.max(10, width - axis.length - 3);
  const barWidth = Math.max(1, Math.min(6, Math.floor(room / Math.max(1, points.length))));
  const shown = merge(points, Math.floor(room / barWidth));
  const top = Math.max(0, ...shown.map(({ value }) => value));
  const scale = String(top);
  const lines = [title];
  for (let row = height - 1; row >= 0; row--) {
    const bars = shown.map(({ value }) => {
      const filled = top === 0 ? 0 : (Math.max(0, value) / top) * height * 8 - row * 8;
      const piece = eighths[Math.max(0, Math.min(8, Math.round(filled)))] ?? ' ';
      return barWidth === 1 ? piece : `${piece.repeat(barWidth - 1)} `;
    });
    const mark = row === height - 1 ? scale : row === 0 ? '0' : '';
    lines.push(`${mark.padStart(scale.length)} │${bars.join('')}`.trimEnd());
  }
  const total = shown.length * barWidth;
  lines.push(`${' '.repeat(scale.length)} └${'─'.repeat(total)}`);
  const [first, last] = [shown[0]?.label ?? '', shown.at(-1)?.label ?? ''];
  const space = total - displayWidth(first) - displayWidth(last);
  if (shown.length > 1 && space > 0)
    lines.push(`${' '.repeat(scale.length + 2)}${first}${' '.repeat(space)}${last}`);
  else lines.push(`${' '.repeat(scale.length + 2)}${first}`);
  return lines.join('\n');
}

/** Merges neighbouring points so that all bars fit; a bar shows the sum of its points. */
function merge(points: readonly ChartPoint[], most: number): ChartPoint[] {
  const each = Math.ceil(points.length / Math.max(1, most));
  if (each <= 1) return [...points];
  const merged: ChartPoint[] = [];
  for (let at = 0; at < points.length; at += each) {
    const part = points.slice(at, at + each);
    merged.push({ label: part[0]?.label ?? '', value: part.reduce((sum, { value }) => sum + value, 0) });
  }
  return merged;
}
