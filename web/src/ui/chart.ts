/** A line of a chart. Its values belong to the chart's times; null is a gap. */
export interface ChartSeries {
  label: string;
  values: readonly (number | null)[];
  /** On the scale at the right, for another unit. */
  right?: boolean;
  /** Something it is compared with. */
  dotted?: boolean;
}

/** The nearest step with a value, to the left (-1) or right (1) of `from`; `from` itself if there is none. */
export function nextKnown(series: readonly ChartSeries[], from: number, by: 1 | -1, count: number): number {
  for (let index = from + by; index >= 0 && index < count; index += by)
    if (series.some(({ values }) => values[index] !== null && values[index] !== undefined)) return index;
  return from;
}

/** Where labels at the ends of lines stand, so that they don't cover each other: as near to their lines as there is room. */
export function spreadLabels(wanted: readonly number[], height: number, lineHeight: number): number[] {
  const order = wanted.map((at, index) => ({ at, index })).sort((a, b) => a.at - b.at);
  let least = 0;
  for (const one of order) {
    one.at = Math.max(one.at, least);
    least = one.at + lineHeight;
  }
  let most = height - lineHeight;
  for (const one of order.toReversed()) {
    one.at = Math.min(one.at, most);
    most = one.at - lineHeight;
  }
  const places = new Array<number>(wanted.length).fill(0);
  for (const { at, index } of order) places[index] = at;
  return places;
}
