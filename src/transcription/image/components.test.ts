import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bitmap, findComponents, smear } from './components.ts';

function draw(...rows: string[]): Bitmap {
  const data = Uint8Array.from(rows.join(''), (letter) => (letter === '#' ? 1 : 0));
  return { data, width: rows[0]?.length ?? 0, height: rows.length };
}

test('connected ink, even at corners or by a detour, is one component', () => {
  const found = findComponents(draw('#.#..#', '#.#...', '###..#', '...#.#'));
  assert.deepEqual(found, [
    { left: 0, top: 0, width: 4, height: 4, ink: 8 },
    { left: 5, top: 0, width: 1, height: 1, ink: 1 },
    { left: 5, top: 2, width: 1, height: 2, ink: 2 },
  ]);
});

test('the components are those that a plain search finds', () => {
  const bitmaps = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
    .chain(([width, height]) =>
      fc
        .array(fc.constantFrom(0, 1), { minLength: width * height, maxLength: width * height })
        .map((ink) => ({ data: Uint8Array.from(ink), width, height })),
    );
  fc.assert(
    fc.property(bitmaps, (bitmap) => {
      const sizes = findComponents(bitmap).map((one) => one.ink);
      assert.deepEqual(sizes.toSorted(), floodSizes(bitmap).toSorted());
    }),
  );
});

function floodSizes({ data, width, height }: Bitmap): number[] {
  const left = data.slice();
  const flood = (x: number, y: number): number => {
    if (x < 0 || y < 0 || x >= width || y >= height || left[y * width + x] !== 1) return 0;
    left[y * width + x] = 0;
    let sum = 1;
    for (const dy of [-1, 0, 1]) for (const dx of [-1, 0, 1]) sum += flood(x + dx, y + dy);
    return sum;
  };
  const sizes: number[] = [];
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) sizes.push(flood(x, y));
  return sizes.filter((size) => size > 0);
}

test('gaps between letters are closed, wider ones are not', () => {
  const line = draw('.#.#...#.');
  smear(line, 2);
  assert.deepEqual(line, draw('.###...#.'));
});
