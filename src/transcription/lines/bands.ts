/** Index of things on a page by height, so that distant ones are skipped. */
export interface Bands<T> {
  add(item: T, top: number, bottom: number): void;
  remove(item: T): void;
  /** Items that touch this part of the page or lie close to it, in the order they were added. */
  near(top: number, bottom: number): T[];
}

export function makeBands<T>(size: number): Bands<T> {
  const bands = new Map<number, Map<T, number>>();
  const places = new Map<T, [first: number, last: number]>();
  const bandOf = (y: number) => Math.floor(y / size);
  let count = 0;
  return {
    add(item, top, bottom) {
      const [first, last] = [bandOf(top), bandOf(bottom)];
      places.set(item, [first, last]);
      const number = count++;
      for (let band = first; band <= last; band++) {
        const known = bands.get(band) ?? new Map<T, number>();
        known.set(item, number);
        bands.set(band, known);
      }
    },
    remove(item) {
      const [first, last] = places.get(item) ?? [0, -1];
      for (let band = first; band <= last; band++) bands.get(band)?.delete(item);
      places.delete(item);
    },
    near(top, bottom) {
      const found = new Map<T, number>();
      for (let band = bandOf(top); band <= bandOf(bottom); band++)
        for (const [item, number] of bands.get(band) ?? []) found.set(item, number);
      return [...found].sort(([, one], [, other]) => one - other).map(([item]) => item);
    },
  };
}
