import type { Box } from '../page/page.ts';
import { boxAround } from './box.ts';

/** Ink and paper: 1 where there is ink. */
export interface Bitmap {
  data: Uint8Array;
  width: number;
  height: number;
}

export interface Component extends Box {
  /** Pixels of ink. */
  ink: number;
}

/** Connected components of ink, corners included: runs of each row are joined with those they touch above. */
export function findComponents({ data, width, height }: Bitmap): Component[] {
  const components: Component[] = [];
  // Each component points to the older one it was joined with, or to itself.
  const parents: number[] = [];
  const rootOf = (number: number) => {
    let root = number;
    while (parents[root] !== root) root = parents[root] as number;
    parents[number] = root;
    return root;
  };
  let above = emptyRuns(width);
  let runs = emptyRuns(width);
  for (let y = 0; y < height; y++) {
    [above, runs] = [runs, above];
    runs.count = 0;
    let next = 0;
    const row = y * width;
    for (let x = 0; x < width; x++) {
      if (data[row + x] !== 1) continue;
      const start = x;
      while (x < width && data[row + x] === 1) x++;
      let own = components.length;
      while (next < above.count && (above.ends[next] as number) < start) next++;
      for (let other = next; other < above.count && (above.starts[other] as number) <= x; other++) {
        const root = rootOf(above.components[other] as number);
        if (own < components.length && root !== own)
          join(components, parents, Math.max(root, own), Math.min(root, own));
        own = Math.min(root, own);
      }
      const component = components[own];
      if (component) addRun(component, start, x, y);
      else {
        components.push({ left: start, top: y, width: x - start, height: 1, ink: x - start });
        parents.push(own);
      }
      runs.starts[runs.count] = start;
      runs.ends[runs.count] = x;
      runs.components[runs.count++] = own;
    }
  }
  return components.filter((_, number) => parents[number] === number);
}

/** Runs of ink in one row; `ends` are the first pixels after them. */
interface Runs {
  starts: Int32Array;
  ends: Int32Array;
  components: Int32Array;
  count: number;
}

function emptyRuns(width: number): Runs {
  const most = Math.ceil(width / 2);
  const [starts, ends, components] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)];
  return { starts, ends, components, count: 0 };
}

function addRun(component: Component, start: number, end: number, y: number): void {
  const right = Math.max(component.left + component.width, end);
  component.left = Math.min(component.left, start);
  component.width = right - component.left;
  component.height = y + 1 - component.top;
  component.ink += end - start;
}

function join(components: Component[], parents: number[], younger: number, older: number): void {
  const from = components[younger];
  const to = components[older];
  if (!from || !to) return;
  parents[younger] = older;
  Object.assign(to, boxAround([from, to]), { ink: from.ink + to.ink });
}

/** Fills horizontal gaps up to this width with ink, in place, to join the letters and words of a line. */
export function smear({ data, width, height }: Bitmap, gap: number): void {
  for (let y = 0; y < height; y++) {
    let last = -Infinity;
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (data[at] !== 1) continue;
      if (x - last - 1 <= gap && x - last > 1) data.fill(1, at - (x - last) + 1, at);
      last = x;
    }
  }
}
