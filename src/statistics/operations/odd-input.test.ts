import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { event, march, openStatisticsApi } from '../testing/statistics-api.ts';

describe('odd input to statistics over the API', async () => {
  const { call, refusal, ingest } = await openStatisticsApi({ after });

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
      await refusal('table', { ...march, sort: 'constructor' }),
      /^400 sort: there is no constructor/,
    );
    const filters = [{ field: 'toString', is: '=', value: 1 }];
    assert.match(
      await refusal('table', { ...march, filters }),
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
});
