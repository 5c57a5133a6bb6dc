import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { parseMoment } from './parse-moment.ts';

test('a time is what Date.parse takes it for, and needs its zone', () => {
  const two = (most: number) =>
    fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
  const text = fc
    .tuple(
      fc.integer({ min: 0, max: 9999 }).map((year) => String(year).padStart(4, '0')),
      two(13),
      two(32),
      two(25),
      two(61),
      two(61),
      fc.constantFrom('', '.5', '.123', '.1234', '.12x', ',123'),
      fc.constantFrom('Z', '+01:00', '-11:30', '+0100', '+25:00', '', 'z', ' Z', 'Z '),
    )
    .map(
      ([year, month, day, hour, minute, second, fraction, zone]) =>
        `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}`,
    );
  const plain = (given: string) => (/T.*(Z|[+-]\d\d:?\d\d)$/.test(given) ? Date.parse(given) : Number.NaN);
  fc.assert(
    fc.property(text, (given) => assert.equal(parseMoment(given), plain(given), given)),
    { numRuns: 2000 },
  );
  for (const given of ['2026-02-29T00:00:00Z', '2024-02-29T23:59:59.999+02:00', '2026-03-29', '', 'T Z'])
    assert.equal(parseMoment(given), plain(given), given);
});

test('a long text that is no time is refused at once', async () => {
  const spent = await cpuTime(() => assert.equal(parseMoment('T'.repeat(60_000)), Number.NaN));
  assert.ok(spent < 100, `${spent} ms`);
});
