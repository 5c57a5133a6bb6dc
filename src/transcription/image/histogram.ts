export type Histogram = Uint32Array;

/** With a step, counts only every step-th pixel. */
export function histogramOf(data: Uint8Array, step = 1): Histogram {
  const histogram = new Uint32Array(256);
  for (let at = 0; at < data.length; at += step) {
    const shade = data[at] ?? 0;
    histogram[shade] = (histogram[shade] ?? 0) + 1;
  }
  return histogram;
}

/** The shade below which the given share of all pixels lies. */
export function percentile(histogram: Histogram, share: number): number {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  let below = 0;
  for (let shade = 0; shade < 256; shade++) {
    below += histogram[shade] ?? 0;
    if (below >= total * share) return shade;
  }
  return 255;
}

/** Otsu's threshold between dark and light: the first shade that counts as light. Only shades in the range count. */
export function otsu(histogram: Histogram, from = 0, to = 255): number {
  let total = 0;
  let sum = 0;
  for (let shade = from; shade <= to; shade++) {
    total += histogram[shade] ?? 0;
    sum += shade * (histogram[shade] ?? 0);
  }
  let dark = 0;
  let darkSum = 0;
  let best = -1;
  let first = to;
  let last = to;
  for (let shade = from; shade < to; shade++) {
    dark += histogram[shade] ?? 0;
    darkSum += shade * (histogram[shade] ?? 0);
    const light = total - dark;
    if (dark === 0 || light === 0) continue;
    const difference = darkSum / dark - (sum - darkSum) / light;
    const between = dark * light * difference * difference;
    if (between > best) {
      best = between;
      first = shade + 1;
    }
    if (between >= best) last = shade + 1;
  }
  // If nothing lies between two peaks, all thresholds there are equally good; take the middle one.
  return Math.round((first + last) / 2);
}

/** The mean shade of the pixels darker than the limit. */
export function meanBelow(histogram: Histogram, limit: number): number {
  let sum = 0;
  let count = 0;
  for (let shade = 0; shade < limit; shade++) {
    sum += shade * (histogram[shade] ?? 0);
    count += histogram[shade] ?? 0;
  }
  return count === 0 ? 0 : sum / count;
}
