import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { runServer } from '../../server/testing/running-server.ts';

const now = Date.parse('2026-04-10T12:00:00Z');
const event = (fields: object) => ({
  ...{ kind: 'keyword', entity: 17, user: 3, split: 'context', at: '2026-03-29T01:59:00+01:00', clicks: 1 },
  ...fields,
});
const march = { kind: 'keyword', user: 3, from: '2026-03-01', to: '2026-03-31' };

describe('statistics over the API', async () => {
  const server = await runServer({ after }, { clock: new ManualClock(now) });
  const admin = await server.signUp('root', 'admin');
  let batches = 0;
  const call = async (operation: string, input: object) => {
    const answer = await server.call(`statistics.${operation}`, input, admin);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const refusal = async (operation: string, input: object, as: { key?: string } = admin) => {
    const { status, body } = await server.call(`statistics.${operation}`, input, as);
    return `${status} ${body.error.message}`;
  };
  const ingest = (events: unknown[], token = `batch ${batches++}`) => call('ingest', { token, events });
  const clicksBy = async (question: object) => {
    const { points } = await call('granularizedSumStats', { ...march, dimensions: ['clicks'], ...question });
    return points.map(({ id, sums }: { id: string; sums: { clicks: number } }) => [id, sums.clicks]);
  };

  test('a batch sent twice counts once, and its token is refused for other events', async () => {
    const events = [event({ user: 'twice' })];
    assert.deepEqual(await ingest(events, 'once'), {
      ...{ duplicate: false, events: 1, accepted: 1, corrections: 0, refused: 0, refusals: [] },
    });
    const again = await ingest(events, 'once');
    assert.deepEqual([again.duplicate, again.accepted], [true, 1]);
    assert.deepEqual(await clicksBy({ user: 'twice', granularity: 'month' }), [['202603', 1]]);
    const other = { token: 'once', events: [event({ user: 'twice', clicks: 2 })] };
    assert.match(
      await refusal('ingest', other),
      /^409 the token once was used for another batch of 1 events/,
    );
  });

  test('bad events are refused with the reason each, and the good ones are counted', async () => {
    const { accepted, refusals } = await ingest([
      event({ user: 'mixed' }),
      event({ kind: 'keywrd' }),
      event({ entity: undefined }),
      event({ split: 'fulltxt' }),
      event({ at: '2026-03-29T01:59:00' }),
      event({ at: '2026-04-10T12:11:00Z' }),
      event({ clicks: 1.5 }),
      event({ clicks: -1 }),
      event({ clicks: undefined, click: 1 }),
      event({ id: 'e9', user: '' }),
      'text',
      event({ user: 'mixed', clicks: undefined, cost: -250 }),
    ]);
    assert.equal(accepted, 2);
    assert.deepEqual(
      refusals.map(({ index, reason }: { index: number; reason: string }) => `${index} ${reason}`),
      [
        '1 kind: there is no kind keywrd; did you mean keyword?',
        '2 entity: it is missing',
        '3 split: it is unknown; use one of fulltext, context',
        '4 at: it must be a time with its zone, such as 2026-03-29T01:59:00+01:00, or ms since 1970',
        '5 at: it is in the future; check the clock of the sender',
        '6 clicks: it must be a whole number below 2^53',
        '7 clicks: it must not be negative',
        '8 click: keyword has no such dimension; did you mean clicks?',
        '9 user: it must be a whole number or a name of 1 to 200 characters',
        '10 not an object with fields',
      ],
    );
  });

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
      ...[...[10, 11, 12, 13].map((week) => [`2026${week}`, 0])],
      ['202614', 1100],
    ]);
    assert.deepEqual(await clicksBy({ ...question, granularity: 'quarter', split: 'context' }), [
      ['202601', 111],
      ['202604', 0],
    ]);
    const { points, total } = await call('granularizedSumStats', {
      ...{ kind: 'keyword', ...question, granularity: 'year', includeTotal: true, dimensions: ['clicks'] },
    });
    assert.deepEqual(points, [
      {
        ...{ id: '2026', start: '2026-02-25', end: '2026-04-02', sums: { clicks: 1111 } },
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
      await refusal('granularizedSumStats', { ...march, ...day, user: 'days' }),
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
      call('filter2', { ...march, user: 'table', sort: 'clicks:desc', limit: 3, offset });
    const pages = [await page(0), await page(3), await page(6)];
    const order = pages.flatMap(({ rows }) => rows.map((row: { entity: string }) => row.entity));
    assert.deepEqual(order, ['2', '5', '1', '4', '7', '3', '6']);
    const [{ rows, count, totals }] = pages;
    assert.equal(count, 7);
    assert.deepEqual([totals.sums.clicks, totals.sums.cost, totals.derived.ctr], [7, 700, 0.1]);
    assert.deepEqual(rows[0].derived, { ctr: 0.2, cpc: 50, conversionRate: 0 });
    const least = await call('filter2', {
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
      ...{ kind: 'keyword', user, entity: 100, parent: 10 },
      more: [
        { entity: 101, parent: 10 },
        { entity: 110, parent: 11 },
      ],
    });
    await ingest([100, 101, 110].map((entity) => event({ user, entity, clicks: entity })));
    const table = (groupBy: string) => call('filter2', { ...march, user, groupBy, sort: 'clicks:desc' });
    const sums = (rows: { entity: string; sums: { clicks: number } }[]) =>
      rows.map((row) => [row.entity, row.sums.clicks]);
    assert.deepEqual(sums((await table('group')).rows), [
      ['10', 201],
      ['11', 110],
    ]);
    const { rows } = await table('campaign');
    assert.deepEqual([sums(rows), rows[0].name], [[['1', 311]], 'Spring']);
    const { groups } = await call('granularizedSumStats', {
      ...march,
      user,
      groupBy: 'group',
      granularity: 'month',
    });
    assert.deepEqual(
      groups.map((group: { entity: string; points: { sums: { clicks: number } }[] }) => [
        ...[group.entity, group.points[0]?.sums.clicks],
      ]),
      [
        ['10', 201],
        ['11', 110],
      ],
    );
    assert.match(
      await refusal('filter2', { ...march, groupBy: 'ad' }),
      /^400 groupBy: ad is no parent of keyword/,
    );
  });

  test('a removed entity keeps its sums, and can be filtered out', async () => {
    const user = 'removed';
    await ingest([event({ user, entity: 1 }), event({ user, entity: 2 })]);
    await call('entity.remove', { kind: 'keyword', user, entity: 2 });
    assert.deepEqual(await clicksBy({ user, granularity: 'month' }), [['202603', 2]]);
    const filters = [{ field: 'status', is: '!=', value: 'removed' }];
    assert.deepEqual(await clicksBy({ user, granularity: 'month', filters }), [['202603', 1]]);
    assert.match(
      await refusal('entity.update', { kind: 'keyword', user, entity: 3, name: 'x' }),
      /^404 entity: there is no keyword 3/,
    );
  });

  test('events for a closed month are listed as corrections and not summed in', async () => {
    const user = 'closed';
    const january = { at: '2026-01-31T12:00:00Z', user };
    await ingest([event(january)]);
    await call('close', { month: '2026-01' });
    const { accepted, corrections } = await ingest([
      event({ ...january, id: 'late', clicks: 5 }),
      event({ user }),
    ]);
    assert.deepEqual([accepted, corrections], [1, 1]);
    const question = { user, from: '2026-01-01', granularity: 'month' };
    assert.deepEqual(await clicksBy(question), [
      ['202601', 1],
      ['202602', 0],
      ['202603', 1],
    ]);
    const listed = await call('corrections', { user, month: '2026-01' });
    assert.deepEqual(
      listed.corrections.map(({ event: id, sums }: { event: string; sums: object }) => [id, sums]),
      [['late', { clicks: 5 }]],
    );
    const day = { kind: 'keyword', user, day: '2026-01-31', events: [] };
    assert.match(await refusal('backfill', day), /^409 the month of 2026-01-31 is closed/);
    await call('close', { month: '2026-01', open: true });
    await ingest([event({ ...january, clicks: 2 })]);
    assert.deepEqual((await clicksBy(question))[0], ['202601', 3]);
  });

  test('a backfill replaces the whole day and nothing else', async () => {
    const user = 'backfill';
    await ingest([
      event({ user, entity: 1, clicks: 5 }),
      event({ user, entity: 2, at: '2026-03-28T12:00:00Z' }),
    ]);
    await call('rollup', { user });
    const day = { kind: 'keyword', user, day: '2026-03-29' };
    const foreign = { ...day, events: [event({ user, at: '2026-03-28T12:00:00Z' })] };
    assert.match(await refusal('backfill', foreign), /^400 there are events of 2026-03-28/);
    await call('backfill', { ...day, events: [event({ user, entity: 3, clicks: 70 })] });
    const days = { user, from: '2026-03-28', to: '2026-03-29', granularity: 'day' };
    const expected = [
      ['20260328', 1],
      ['20260329', 70],
    ];
    assert.deepEqual(await clicksBy(days), expected, 'at once');
    await call('rollup', { user });
    assert.deepEqual(await clicksBy(days), expected, 'and after the roll-up');
    assert.equal((await call('reconcile', { user })).difference, undefined);
    await call('backfill', { ...day, events: [] });
    assert.deepEqual((await clicksBy(days))[1], ['20260329', 0]);
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
      [{ granularity: 'decade' }, /^400 granularity: /],
    ];
    for (const [question, message] of wrong)
      assert.match(await refusal('granularizedSumStats', { ...march, ...question }), message);
    assert.match(await refusal('filter2', { ...march, sort: 'price' }), /^400 sort: there is no price/);
  });

  test('users see their own statistics, and those that they were allowed to', async () => {
    const eva = await server.signUp('eva', 'user');
    const own = await server.call('statistics.ingest', { token: 'a', events: [event({ user: 'eva' })] }, eva);
    assert.equal(own.body.accepted, 1);
    const ofThree = { ...march, user: 'twice' };
    assert.match(await refusal('filter2', ofThree, eva), /^404 user: there are no statistics of twice/);
    await call('allow', { reader: 'eva', user: 'twice' });
    assert.equal((await server.call('statistics.filter2', ofThree, eva)).status, 200);
    const change = { kind: 'keyword', user: 'twice', entity: 17, name: 'mine' };
    assert.match(await refusal('entity.update', change, eva), /^404/, 'reading is not writing');
    await call('allow', { reader: 'eva', user: 'twice', access: 'write' });
    assert.equal((await server.call('statistics.entity.update', change, eva)).status, 200);
    await call('allow', { reader: 'eva', user: 'twice', access: 'none' });
    assert.match(await refusal('filter2', ofThree, eva), /^404/);
  });

  test('rpc takes methods of kinds, with the rights of the caller', async () => {
    const parameters = { user: 'twice', from: '2026-03-01', to: '2026-03-31', granularity: 'month' };
    const { result } = await call('rpc', { method: 'keyword.granularizedSumStats', parameters });
    assert.equal(result.points[0].sums.clicks, 1);
    assert.match(
      await refusal('rpc', { method: 'keyword.filter', parameters }),
      /^400 method: there is no keyword.filter; did you mean keyword.filter2/,
    );
    assert.match(await refusal('rpc', { method: 'keyword.filter2', parameters: {} }), /^400 user: /);
    const otto = await server.signUp('otto', 'user');
    assert.match(
      await refusal('rpc', { method: 'rollup' }, otto),
      /^403 statistics.rollup needs the role admin/,
    );
  });

  test('what is erased is gone for every question, and other users keep theirs', async () => {
    const user = 'erased';
    await call('entity.create', { kind: 'campaign', user, entity: 1, name: 'Spring' });
    await ingest([event({ user }), event({ user: 'kept' })], 'erased once');
    assert.deepEqual(await clicksBy({ user, granularity: 'month' }), [['202603', 1]]);
    await call('allow', { reader: 'eva', user });
    assert.deepEqual(await call('erase', { user }), { kinds: 2, entities: 2, corrections: 0 });
    assert.deepEqual(await clicksBy({ user, granularity: 'month' }), [['202603', 0]]);
    assert.deepEqual((await call('entity.ls', { kind: 'campaign', user })).entities, []);
    assert.deepEqual((await call('access', { reader: 'eva' })).access, []);
    assert.deepEqual(await clicksBy({ user: 'kept', granularity: 'month' }), [['202603', 1]]);
    await ingest([event({ user }), event({ user: 'kept' })], 'erased once');
    assert.deepEqual(
      await clicksBy({ user, granularity: 'month' }),
      [['202603', 0]],
      'it was counted before',
    );
  });

  test('with a user everything goes that was counted about the user, but closed months only if the administrator says so', async () => {
    const user = 'leaving';
    const deleteUser = async (input: object) => {
      const { status, body } = await server.call('user.delete', { name: user, ...input }, admin);
      return `${status} ${body.error?.message ?? ''}`;
    };
    const own = await server.signUp(user, 'user');
    await ingest([event({ user }), event({ user: 'kept' })]);
    await call('allow', { reader: user, user: 'kept' });
    await call('close', { month: '2026-03' });
    assert.match(
      await deleteUser({}),
      /^409 leaving has statistics in 2026-03, which is closed: .*--keep statistics/,
    );
    await call('rollup', {});
    assert.match(await deleteUser({}), /^409 leaving has statistics in 2026-03/);
    assert.equal((await server.call('session.show', {}, own)).status, 200, 'nothing has changed');
    assert.match(await deleteUser({ keep: ['static'] }), /^400 keep: static records nothing about users/);
    await call('close', { month: '2026-03', open: true });
    assert.match(await deleteUser({}), /^200/);
    assert.deepEqual(await clicksBy({ user, granularity: 'month' }), [['202603', 0]]);
    assert.deepEqual((await call('access', { reader: user })).access, []);
    await server.signUp('staying', 'user');
    await ingest([event({ user: 'staying' })]);
    assert.match(await deleteUser({ name: 'staying', keep: ['statistics'] }), /^200/);
    assert.deepEqual(await clicksBy({ user: 'staying', granularity: 'month' }), [['202603', 1]]);
  });

  test('a user whose sums exceed 2^53 does not keep those of others from being rolled up and checked', async () => {
    const most = { kind: 'sitelink', clicks: undefined, cost: Number.MAX_SAFE_INTEGER };
    await ingest([event({ ...most, user: 'a too large' })]);
    await call('rollup', { kind: 'sitelink' });
    await ingest([event({ ...most, user: 'a too large' })]);
    await ingest([event({ kind: 'sitelink', user: 'b usual' })]);
    const { units, tooLarge } = await call('rollup', { kind: 'sitelink' });
    assert.deepEqual([units > 0, tooLarge], [true, ['sitelink of a too large']]);
    const checked = await call('reconcile', { kind: 'sitelink' });
    assert.deepEqual([checked.units > 0, checked.tooLarge], [true, ['sitelink of a too large']]);
  });

  test('an event whose sum would exceed 2^53 is refused, and the others of its batch are counted', async () => {
    const huge = { user: 'huge', cost: Number.MAX_SAFE_INTEGER };
    const { accepted, refusals } = await ingest([event(huge), event(huge), event({ user: 'huge' })]);
    assert.equal(accepted, 2);
    assert.match(refusals[0].reason, /^cost: with it, the sum of the day would exceed 2\^53/);
    const lines = [event(huge), event(huge), event({ user: 'huge' })].map((one) => JSON.stringify(one));
    const asText = await call('ingest', { token: 'huge lines', text: lines.join('\n') });
    assert.deepEqual([asText.accepted, asText.refusals[0].index], [2, 1]);
  });

  test('keys that a database would change are refused: half a character, or one that ends a text', async () => {
    const keys = ['\ud800', 'a\udc00b', 'a\0b'];
    const { accepted, refusals } = await ingest(keys.map((entity) => event({ entity, user: 'odd keys' })));
    assert.deepEqual([accepted, refusals.length], [0, 3]);
    assert.match(refusals[0].reason, /^entity: it must be a whole number or a name of 1 to 200 characters/);
    const lines = keys.map((entity) =>
      event({ entity: `x${entity.replace('\0', '\ud800')}`, user: 'odd keys' }),
    );
    // Not escaped, as they would be by JSON.stringify.
    const text = lines.map((one) =>
      JSON.stringify(one).replaceAll('\\ud800', '\ud800').replaceAll('\\udc00', '\udc00'),
    );
    const asText = await call('ingest', {
      token: 'odd',
      text: [JSON.stringify(event({ user: 'odd keys' })), ...text].join('\n'),
    });
    assert.deepEqual([asText.accepted, asText.refused], [1, 3]);
    for (const entity of keys)
      assert.match(
        await refusal('entity.create', { kind: 'ad', user: 3, entity }),
        /^400 entity: it must be a whole number or a name of 1 to 200 characters/,
      );
    for (const user of [...keys, '', {}, -1, 1.5])
      assert.match(
        await refusal('entity.create', { kind: 'ad', user, entity: 1 }),
        /^400 user: it must be a whole number or a name of 1 to 200 characters/,
      );
    assert.match(
      await refusal('entity.create', { kind: 'ad', user: 3, entity: 1, parent: 'a\0' }),
      /^400 parent: it must be a whole number or a name/,
    );
  });

  test('an id of any type is no reason to fail', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const ids = ['{"toString":1}', deep, 'null', 'true', '7', '"e7"'];
    const text = ids.map((id) => `{"id":${id},"kind":"nothing"}`).join('\n');
    const { refusals } = await call('ingest', { token: 'ids', text });
    assert.deepEqual(
      refusals.map(({ id }: { id: string }) => id),
      ['', '', '', '', '7', 'e7'],
    );
  });

  test('names that every object has are no fields, columns or methods', async () => {
    assert.match(
      await refusal('filter2', { ...march, sort: 'constructor' }),
      /^400 sort: there is no constructor/,
    );
    const filters = [{ field: 'toString', is: '=', value: 1 }];
    assert.match(
      await refusal('filter2', { ...march, filters }),
      /^400 filters: toString: there is no such field/,
    );
    assert.match(
      await refusal('rpc', { method: 'keyword.toString' }),
      /^400 method: there is no keyword.toString/,
    );
    assert.match(await refusal('rpc', { method: 'valueOf' }), /^400 method: there is no valueOf/);
    assert.match(
      await refusal('rpc', { method: 'keyword.filter2.x' }),
      /^400 method: there is no keyword.filter2.x/,
    );
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
