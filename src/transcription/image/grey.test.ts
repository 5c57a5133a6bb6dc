import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Grey, reduce } from './grey.ts';

const side = fc.integer({ min: 1, max: 13 });
const image: fc.Arbitrary<Grey> = fc
  .tuple(side, side)
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height, maxLength: width * height })
      .map((data) => ({ data, width, height })),
  );

test('every pixel of a reduced image is the mean of its square', () => {
  fc.assert(
    fc.property(image, fc.integer({ min: 1, max: 4 }), (page, factor) => {
      const small = reduce(page, factor);
      assert.equal(small.width, Math.max(1, Math.floor(page.width / factor)));
      assert.equal(small.height, Math.max(1, Math.floor(page.height / factor)));
      for (const [at, shade] of small.data.entries()) {
        const [x, y] = [(at % small.width) * factor, Math.floor(at / small.width) * factor];
        const rows = Array.from(
          { length: Math.min(factor, page.height) },
          (_, row) => (y + row) * page.width + x,
        );
        const square = rows.flatMap((row) => [
          ...page.data.subarray(row, row + Math.min(factor, page.width)),
        ]);
        const mean = square.reduce((sum, one) => sum + one, 0) / square.length;
        assert.ok(Math.abs(shade - mean) <= 1, `${shade} is not the mean ${mean}`);
      }
    }),
  );
});
