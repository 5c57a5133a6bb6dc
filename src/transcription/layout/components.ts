import type { Box } from '../page.ts';

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

/** Pieces of ink that hang together, also across corners: runs of each row are joined with those they touch above. */
export function findComponents({ data, width, height }: Bitmap): Component[] {
  const parents: number[] = [];
  const boxes: { left: number; top: number; right: number; bottom: number; ink: number }[] = [];
  const rootOf = (number: number) => {
    let root = number;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[number] = root;
    return root;
  };
  let above: Run[] = [];
  for (let y = 0; y < height; y++) {
    const runs: Run[] = [];
    let next = 0;
    for (let x = 0; x < width; x++) {
      if (data[y * width + x] !== 1) continue;
      const start = x;
      while (x < width && data[y * width + x] === 1) x++;
      const run = { start, end: x, component: parents.length };
      parents.push(run.component);
      boxes.push({ left: start, top: y, right: x, bottom: y + 1, ink: x - start });
      while ((above[next]?.end ?? Infinity) < start) next++;
      for (let other = next; (above[other]?.start ?? Infinity) <= x; other++) {
        const root = rootOf(above[other]?.component ?? 0);
        const own = rootOf(run.component);
        if (root !== own) parents[Math.max(root, own)] = Math.min(root, own);
      }
      runs.push(run);
    }
    above = runs;
  }
  const found = new Map<number, Component>();
  for (const [number, { left, top, right, bottom, ink }] of boxes.entries()) {
    const root = rootOf(number);
    const known = found.get(root);
    if (!known) {
      found.set(root, { left, top, width: right - left, height: bottom - top, ink });
      continue;
    }
    const far = Math.max(known.left + known.width, right);
    known.left = Math.min(known.left, left);
    known.width = far - known.left;
    known.height = Math.max(known.height, bottom - known.top);
    known.ink += ink;
  }
  return [...found.values()];
}

interface Run {
  start: number;
  /** The first pixel after it. */
  end: number;
  component: number;
}

/** Closes the gaps between letters and words of a line, in place: paper no wider than this between ink becomes ink. */
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
