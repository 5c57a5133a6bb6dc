import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cpuTime } from '../../engine/testing/cpu-time.ts';
import { zoneDays } from '../calendar/zone-days.ts';
import { loadSchemas } from '../schema/schemas.ts';
import { BatchBuilder } from './batch-builder.ts';
import { addContent } from './lines.ts';

const schemas = loadSchemas();
const now = Date.UTC(2026, 3, 1);
const march = Date.UTC(2026, 2, 1) / 86_400_000;

function newBuilder(closed: boolean): BatchBuilder {
  return new BatchBuilder({
    schemas,
    days: zoneDays('Europe/Prague'),
    latest: now,
    level: 'event',
    mayWrite: (user) => user !== '9',
    sealedBefore: march - 30,
    sealed: (_kind, _user, day) => day < march - 40,
    closed: new Set(closed ? [march] : []),
  });
}

/** All that a batch would store. */
function contentsOf(builder: BatchBuilder) {
  return {
    events: builder.events,
    refusals: builder.refusals,
    corrections: builder.corrections,
    cubes: builder.cubes().map(({ days, ...cube }) => ({
      ...cube,
      days: days.map(({ blocks, ...day }) => ({
        ...day,
        blocks: blocks(cube.keys.map((_, index) => index)),
      })),
    })),
  };
}

const field = (values: unknown[]) => fc.constantFrom(...values.map((value) => JSON.stringify(value)));
/** As JSON text, often wrong. */
const values: Record<string, fc.Arbitrary<string>> = {
  id: field(['e1', 'a"b', 7, null]),
  kind: field(['keyword', 'keyword', 'keyword', 'campaign', 'nothing', 3]),
  entity: fc.oneof(
    field([1, 2, '2', -3, 'žluťoučký', 'a\\b', '', 1.5, 'x'.repeat(201)]),
    fc.constantFrom('007', '"\ud800"'),
  ),
  user: field([3, 3, 3, '3', 9, '']),
  split: field(['context', 'context', 'fulltext', 'other']),
  at: fc.oneof(
    fc
      .integer({ min: -90, max: 3 })
      .map((days) => JSON.stringify(new Date(now + days * 86_400_000).toISOString())),
    field(['2026-03-29T01:59:00+01:00', '2026-03-29', now - 1, -1, 1e300]),
  ),
  clicks: fc.oneof(field([1, 2, 0, -1, 1.5, '1', 2 ** 53]), fc.constantFrom('1e2', '-0', '01', '0.0')),
  cost: field([250, -250, 0, 999_999_999_999_999, Number.MAX_SAFE_INTEGER - 7]),
};
const names = fc.oneof(
  fc.constant(['id', 'kind', 'entity', 'user', 'split', 'at', 'clicks', 'cost']),
  fc.constant(['kind', 'user', 'entity', 'at', 'split', 'cost']),
  fc.shuffledSubarray(Object.keys(values)),
);
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: names.chain((chosen) =>
      fc
        .tuple(
          fc.record(values),
          fc.constantFrom('', '', '', '', ' '),
          fc.constantFrom('', '', '\r', ' ', 'x'),
        )
        .map(
          ([drawn, space, after]) =>
            `{${chosen.map((name) => `"${name}":${space}${drawn[name]}`).join(',')}}${after}`,
        ),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('', '{}', '[1]', '{"kind":"keyword"', '{"clicks":1,"clicks":2}') },
);

test('lines that are read by their shape count exactly as parsed ones', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 40, size: 'max' }), fc.boolean(), async (lines, closed) => {
      const text = lines.join('\n');
      const fast = newBuilder(closed);
      await addContent(fast, { text, format: 'ndjson' });
      const plain = newBuilder(closed);
      for (const one of lines) {
        if (one === '' || one === '\r') continue;
        try {
          plain.add(JSON.parse(one));
        } catch {
          plain.addBroken('not JSON');
        }
      }
      assert.deepEqual(contentsOf(fast), contentsOf(plain));
    }),
    { numRuns: 300 },
  );
});

test('fields of CSV may be quoted or empty, the first one too', async () => {
  const title = 'id,kind,entity,user,split,at,clicks,cost';
  const at = '2026-03-29T01:59:00+01:00';
  const builder = newBuilder(false);
  const lines = [
    `,keyword,"shoes, ""red""",3,context,${at},1,`,
    `"",keyword,"2",3,context,${at},,250`,
    `e3,keyword,2,3,context,${at},"1","2"`,
    `e4,keyword,"2,3,context,${at},1,2`,
    `e5,keyword,"2"x,3,context,${at},1,2`,
  ];
  await addContent(builder, { text: [title, ...lines].join('\r\n'), format: 'csv' });
  assert.deepEqual(
    builder.refusals.map(({ index, reason }) => [index, reason]),
    [
      [3, 'a quote is not closed, or something follows it'],
      [4, 'a quote is not closed, or something follows it'],
    ],
  );
  assert.deepEqual(builder.cubes()[0]?.keys, ['shoes, "red"', '2']);
  const long = `e,keyword,"${'x'.repeat(9_000_000)}",3,context,${at},1,2`;
  await addContent(builder, { text: `${title}\n${long}\n`, format: 'csv' });
  assert.match(builder.refusals.at(-1)?.reason ?? '', /^entity: it must be/);
  await assert.rejects(
    addContent(builder, { text: 'kind,entity,clicks,clicks\n', format: 'csv' }),
    /the first line of CSV names the column clicks twice/,
  );
});

test('a first line with too many columns is refused at once', async () => {
  const names = Array.from({ length: 60_000 }, (_, index) => `c${index}`);
  const text = `kind,entity,${names.join(',')}\n`;
  const spent = await cpuTime(() =>
    assert.rejects(addContent(newBuilder(false), { format: 'csv', text }), /has more than 1000 columns/),
  );
  assert.ok(spent < 500, `${spent} ms`);
});

test('a batch of nothing but broken lines is not read to its end, and long lines are not parsed', async () => {
  const header = 'kind,entity,user,split,at,clicks\n';
  for (const content of [
    { text: 'x\n'.repeat(200_000), format: 'ndjson' },
    { text: `${header}${'x\n'.repeat(200_000)}`, format: 'csv' },
  ] as const) {
    const builder = newBuilder(false);
    await assert.rejects(addContent(builder, content), /131\d+ events or more; the limit is 131072/);
    assert.ok(builder.refusals.length < 132_000);
  }
  const builder = newBuilder(false);
  const ms = await cpuTime(() =>
    addContent(builder, {
      text: `[${'[],'.repeat(1_000_000)}[]]\n${'\n'.repeat(1_000_000)}`,
      format: 'ndjson',
    }),
  );
  assert.deepEqual(
    builder.refusals.map(({ reason }) => reason),
    ['longer than 65536 characters'],
  );
  assert.ok(ms < 500, `${ms} ms`);
});
