import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { event, march, openStatisticsApi } from '../testing/statistics-api.ts';

describe('reading statistics over the API', async () => {
  const { call, refusal, ingest, clicksBy } = await openStatisticsApi({ after });

  test('points have identifiers, cut units show the cut, and empty ones are zeros', async () => {
    await ingest([
      event({ user: 'points', at: '2026-02-28T22:59:59Z', clicks: 1 }),
      event({ user: 'points', at: '2026-02-28T23:00:00Z', clicks: 10 }),
      event({ user: 'points', at: '2026-03-31T21:59:59Z', clicks: 100 }),
      event({ user: 'points', at: '2026-03-31T22:00:00Z', clicks: 1000, split: 'fulltext' }),
    ]);
    const question = { user: 'points', from: '2026-02-25', to: '2026-04-02' };
    assert.deepEqual(await clicksBy({ ...question, granularity: 'month' }), [
      ['202602', 1],
      ['202603', 110],
      ['202604', 1000],
    ]);
    assert.deepEqual(await clicksBy({ ...question, granularity: 'week' }), [
      ['202609', 11],
      ...[10, 11, 12, 13].map((week) => [`2026${week}`, 0]),
      ['202614', 1100],
    ]);
    assert.deepEqual(await clicksBy({ ...question, granularity: 'quarter', split: 'context' }), [
      ['202601', 111],
      ['202604', 0],
    ]);
    const { points, total } = await call('series', {
      kind: 'keyword',
      ...question,
      granularity: 'year',
      includeTotal: true,
      dimensions: ['clicks'],
    });
    assert.deepEqual(points, [
      {
        id: '2026',
        start: '2026-02-25',
        end: '2026-04-02',
        sums: { clicks: 1111 },
        splits: { fulltext: { clicks: 1000 }, context: { clicks: 111 } },
      },
    ]);
    assert.deepEqual(total, { clicks: 1111 });
    assert.deepEqual(await clicksBy({ user: 'nobody', granularity: 'none' }), [['none', 0]]);
  });

  test('hours are those of the day, 23 and 25 where clocks change', async () => {
    await ingest([
      event({ user: 'hours', at: '2026-03-29T01:59:00+01:00', clicks: 1 }),
      event({ user: 'hours', at: '2026-03-29T03:00:00+02:00', clicks: 2 }),
    ]);
    const day = { user: 'hours', from: '2026-03-29', to: '2026-03-29', granularity: 'hour' };
    const hours = await clicksBy(day);
    assert.equal(hours.length, 23);
    assert.deepEqual(hours.slice(1, 3), [
      ['2026032901', 1],
      ['2026032902', 2],
    ]);
    await call('rollup', { user: 'hours' });
    assert.deepEqual(await clicksBy(day), hours, 'after the roll-up, too');
    const sums = [
      { kind: 'keyword', entity: 1, user: 'days', split: 'context', day: '2026-03-29', clicks: 5 },
    ];
    await call('ingest', { token: 'days', level: 'day', events: sums });
    assert.deepEqual(await clicksBy({ user: 'days', granularity: 'month' }), [['202603', 5]]);
    assert.match(
      await refusal('series', { ...march, ...day, user: 'days' }),
      /^409 granularity: the hours of 2026-03-29 are unknown: it was loaded as daily sums/,
    );
  });

  test('the chart shows exactly the entities that the filter keeps, over the interval or over all time', async () => {
    await ingest([
      event({ user: 'filter', entity: 'cheap', clicks: 7, cost: 100 }),
      event({ user: 'filter', entity: 'dear', clicks: 9, cost: 9000 }),
      event({ user: 'filter', entity: 'once dear', clicks: 8, cost: 200 }),
      event({ user: 'filter', entity: 'once dear', at: '2025-12-24T12:00:00Z', cost: 9000 }),
    ]);
    const filters = [{ field: 'cost', is: '<', value: 5000 }];
    const asked = { user: 'filter', granularity: 'month', filters };
    assert.deepEqual(await clicksBy(asked), [['202603', 15]]);
    assert.deepEqual(await clicksBy({ ...asked, over: 'all' }), [['202603', 7]]);
    const either = [
      {
        or: [
          { field: 'clicks', is: '=', value: 9 },
          { field: 'name', is: 'contains', value: 'CHE' },
        ],
      },
    ];
    assert.deepEqual(await clicksBy({ ...asked, filters: either }), [['202603', 16]]);
    const between = [
      { field: 'clicks', is: 'between', value: [7, 8] },
      { field: 'key', is: 'in', value: ['cheap', 'x'] },
    ];
    assert.deepEqual(await clicksBy({ ...asked, filters: between }), [['202603', 7]]);
  });

  test('the table has sums, ratios, pages in order, and the totals of all pages', async () => {
    const entities = Array.from({ length: 7 }, (_, index) => index + 1);
    await ingest(
      entities.map((entity) =>
        event({ user: 'table', entity, clicks: entity % 3, impressions: 10, cost: 100 }),
      ),
    );
    const page = (offset: number) =>
      call('table', { ...march, user: 'table', sort: 'clicks:desc', limit: 3, offset });
    const pages = [await page(0), await page(3), await page(6)];
    const order = pages.flatMap(({ rows }) => rows.map((row: { entity: string }) => row.entity));
    assert.deepEqual(order, ['2', '5', '1', '4', '7', '3', '6']);
    const [{ rows, count, totals }] = pages;
    assert.equal(count, 7);
    assert.deepEqual([totals.sums.clicks, totals.sums.cost, totals.derived.ctr], [7, 700, 0.1]);
    assert.deepEqual(rows[0].derived, { ctr: 0.2, cpc: 50, conversionRate: 0 });
    const least = await call('table', {
      ...march,
      user: 'table',
      sort: 'cpc:asc',
      segment: 'split',
      limit: 1,
    });
    assert.equal(least.rows[0].derived.cpc, null, 'what has no price comes first when sorted upwards');
    assert.equal(least.rows[0].splits.fulltext.impressions, 0);
  });

  test('keywords add up by group and by campaign', async () => {
    const user = 'parents';
    await call('entity.create', { kind: 'campaign', user, entity: 1, name: 'Spring' });
    await call('entity.create', {
      kind: 'group',
      user,
      entity: 10,
      parent: 1,
      more: [{ entity: 11, parent: 1 }],
    });
    await call('entity.create', {
      kind: 'keyword',
      user,
      entity: 100,
      parent: 10,
      more: [
        { entity: 101, parent: 10 },
        { entity: 110, parent: 11 },
      ],
    });
    await ingest([100, 101, 110].map((entity) => event({ user, entity, clicks: entity })));
    const table = (groupBy: string) => call('table', { ...march, user, groupBy, sort: 'clicks:desc' });
    const sums = (rows: { entity: string; sums: { clicks: number } }[]) =>
      rows.map((row) => [row.entity, row.sums.clicks]);
    assert.deepEqual(sums((await table('group')).rows), [
      ['10', 201],
      ['11', 110],
    ]);
    const { rows } = await table('campaign');
    assert.deepEqual([sums(rows), rows[0].name], [[['1', 311]], 'Spring']);
    const { groups } = await call('series', {
      ...march,
      user,
      groupBy: 'group',
      granularity: 'month',
    });
    assert.deepEqual(
      groups.map((group: { entity: string; points: { sums: { clicks: number } }[] }) => [
        group.entity,
        group.points[0]?.sums.clicks,
      ]),
      [
        ['10', 201],
        ['11', 110],
      ],
    );
    assert.match(
      await refusal('table', { ...march, groupBy: 'ad' }),
      /^400 groupBy: ad is no parent of keyword/,
    );
  });

  test('a refused question names the field', async () => {
    const wrong: [object, RegExp][] = [
      [{ kind: 'keyworx' }, /^400 kind: there is no kind keyworx; did you mean keyword/],
      [{ from: '2026-02-30' }, /^400 from: it must be a date/],
      [{ to: '2026-02-01' }, /^400 to: 2026-02-01 is before 2026-03-01/],
      [{ split: 'all' }, /^400 split: there is no all; use one of fulltext, context/],
      [{ dimensions: ['clics'] }, /^400 dimensions: there is no clics/],
      [{ filters: [{ field: 'clics', is: '<', value: 1 }] }, /^400 filters: clics: there is no such field/],
      [{ filters: [{ field: 'clicks', is: 'between', value: 1 }] }, /^400 filters: clicks: .* two values/],
      [{ filters: [{ field: 'name', is: '<', value: 'a' }] }, /^400 filters: name: `<` does not fit/],
      [
        { filters: [{ field: 'cost', is: 'below', value: 1 }] },
        /^400 filters.0: it must be {field, is, value} /,
      ],
      [{ filters: [{ field: 'cost', is: '<', value: 'much' }] }, /^400 filters: cost: "much" is no number/],
      [{ from: '1990-01-01', granularity: 'day' }, /^400 granularity: .* the limit is 5000/],
      [{ granularity: 'decade' }, /^400 granularity must be one of hour, day/],
    ];
    for (const [question, message] of wrong)
      assert.match(await refusal('series', { ...march, ...question }), message);
    assert.match(await refusal('table', { ...march, sort: 'price' }), /^400 sort: there is no price/);
  });

  test('explain shows what is added and subtracted', async () => {
    const user = 'explain';
    await ingest(
      Array.from({ length: 31 }, (_, index) =>
        event({ user, at: `2026-03-${String(index + 1).padStart(2, '0')}T12:00:00Z` }),
      ),
    );
    await call('rollup', { user });
    const question = { ...march, user, from: '2026-03-02', granularity: 'month' };
    const { points, read } = await call('explain', question);
    assert.deepEqual(points[0].scans, ['+month 2026-03 (1 row)', '-day 2026-03-01 (1 row)']);
    assert.deepEqual([read.blocks, read.rows], [2, 2]);
  });
});
