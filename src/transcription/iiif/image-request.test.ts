import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { imageInfo } from './image-info.ts';
import { longestSent, readCut } from './image-request.ts';

const image = { width: 3000, height: 2000 };
const whole = { left: 0, top: 0, ...image };

test('regions and sizes mean what the Image API says', () => {
  const cases: [region: string, size: string, expected: object][] = [
    ['full', 'max', { region: whole, size: image }],
    ['full', '600,', { region: whole, size: { width: 600, height: 400 } }],
    ['full', ',100', { region: whole, size: { width: 150, height: 100 } }],
    ['full', '100,100', { region: whole, size: { width: 100, height: 100 } }],
    ['full', '!300,100', { region: whole, size: { width: 150, height: 100 } }],
    [
      'square',
      'max',
      { region: { left: 500, top: 0, width: 2000, height: 2000 }, size: { width: 2000, height: 2000 } },
    ],
    // A region is cut at the edge of the image.
    [
      '2900,1950,1024,1024',
      'max',
      { region: { left: 2900, top: 1950, width: 100, height: 50 }, size: { width: 100, height: 50 } },
    ],
  ];
  for (const [region, size, expected] of cases) assert.deepEqual(readCut(image, { region, size }), expected);
});

test('what can’t be sent is refused, with the reason', () => {
  const cases: [region: string, size: string, reason: RegExp][] = [
    ['3000,0,10,10', 'max', /has no pixel of the image/],
    ['0,0,0,10', 'max', /has no pixel/],
    ['-1,0,10,10', 'max', /give full, square or x,y,w,h/],
    ['pct:0,0,10,10', 'max', /give full, square/],
    ['full', '3001,', /not enlarged/],
    ['full', '0,', /give max/],
    ['full', ',', /give max/],
    ['full', '^max', /give max/],
    ['full', '!5,', /needs both/],
  ];
  for (const [region, size, reason] of cases)
    assert.throws(() => readCut(image, { region, size }), { code: 'invalid-input', message: reason });
  assert.throws(
    () => readCut({ width: 9000, height: 9000 }, { region: 'full', size: '5000,' }),
    /ask for tiles/,
  );
});

test('whatever is asked for, the cut lies in the image and is never larger than a viewer was told', () => {
  const number = fc.integer({ min: 0, max: 70_000 });
  const side = fc.integer({ min: 1, max: 65_535 });
  const region = fc.oneof(
    fc.constantFrom('full', 'square'),
    fc.tuple(number, number, number, number).map((numbers) => numbers.join(',')),
  );
  const size = fc.oneof(
    fc.constant('max'),
    fc.tuple(fc.constantFrom('', '!'), number, number).map(([sign, w, h]) => `${sign}${w},${h}`),
    number.map((w) => `${w},`),
    number.map((h) => `,${h}`),
  );
  fc.assert(
    fc.property(side, side, region, size, (width, height, region, size) => {
      try {
        const cut = readCut({ width, height }, { region, size });
        assert.ok(
          cut.region.left + cut.region.width <= width && cut.region.top + cut.region.height <= height,
        );
        assert.ok(Math.min(cut.region.width, cut.region.height, cut.size.width, cut.size.height) >= 1);
        assert.ok(Math.max(cut.size.width, cut.size.height) <= longestSent);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'invalid-input');
      }
    }),
  );
});

test('all that info.json offers can be had', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 20_000 }), (width, height) => {
      const { sizes, tiles } = imageInfo('', { width, height }) as {
        sizes: { width: number; height: number }[];
        tiles: { width: number; scaleFactors: number[] }[];
      };
      for (const size of sizes)
        readCut({ width, height }, { region: 'full', size: `${size.width},${size.height}` });
      const [{ width: tile, scaleFactors } = assert.fail()] = tiles;
      for (const factor of scaleFactors) {
        // The last tile of the last row, as viewers ask for it.
        const [left, top] = [width, height].map((side) => {
          const step = tile * factor;
          return Math.floor((side - 1) / step) * step;
        }) as [number, number];
        const [w, h] = [Math.min(tile * factor, width - left), Math.min(tile * factor, height - top)];
        const size = `${Math.ceil(w / factor)},${Math.ceil(h / factor)}`;
        readCut({ width, height }, { region: `${left},${top},${w},${h}`, size });
      }
    }),
  );
});
