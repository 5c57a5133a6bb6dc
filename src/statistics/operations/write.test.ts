import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { event, openStatisticsApi } from '../testing/statistics-api.ts';

describe('writing statistics over the API', async () => {
  const { call, refusal, ingest, clicksBy } = await openStatisticsApi({ after });

  test('a batch sent twice counts once, and its token is refused for other events', async () => {
    const events = [event({ user: 'twice' })];
    assert.deepEqual(await ingest(events, 'once'), {
      duplicate: false,
      events: 1,
      accepted: 1,
      corrections: 0,
      refused: 0,
      refusals: [],
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
    const { units, difference } = await call('reconcile', { user });
    assert.deepEqual([units > 0, difference], [true, undefined]);
    await call('backfill', { ...day, events: [] });
    assert.deepEqual((await clicksBy(days))[1], ['20260329', 0]);
  });
});
