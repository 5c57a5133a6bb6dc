import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { median } from './median.ts';

test('every pixel becomes the median of its 3 x 3 square; edge pixels are repeated beyond the edge', () => {
  const size = fc.integer({ min: 1, max: 7 });
  const image = fc
    .tuple(size, size)
    .chain(([width, height]) =>
      fc
        .uint8Array({ minLength: width * height, maxLength: width * height })
        .map((data) => ({ data, width, height })),
    );
  fc.assert(
    fc.property(image, ({ data, width, height }) => {
      const inside = (place: number, length: number) => Math.max(0, Math.min(length - 1, place));
      const expected = data.map((_, at) => {
        const [x, y] = [at % width, Math.floor(at / width)];
        const near = [-1, 0, 1].flatMap((down) =>
          [-1, 0, 1].map((across) => data[inside(y + down, height) * width + inside(x + across, width)] ?? 0),
        );
        return near.sort((one, other) => one - other)[4] ?? 0;
      });
      assert.deepEqual(median({ data, width, height }).data, expected);
    }),
  );
});
