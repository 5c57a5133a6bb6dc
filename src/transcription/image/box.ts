import type { Box } from '../page/page.ts';

/** The smallest box around all of them. */
export function boxAround(boxes: readonly Box[]): Box {
  let [left, top, right, bottom] = [Infinity, Infinity, 0, 0];
  for (const box of boxes) {
    left = Math.min(left, box.left);
    top = Math.min(top, box.top);
    right = Math.max(right, box.left + box.width);
    bottom = Math.max(bottom, box.top + box.height);
  }
  return boxes.length === 0
    ? { left: 0, top: 0, width: 0, height: 0 }
    : { left, top, width: right - left, height: bottom - top };
}
