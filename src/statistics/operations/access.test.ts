import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { event, march, openStatisticsApi } from '../testing/statistics-api.ts';

describe('whose statistics they are', async () => {
  const { server, admin, call, refusal, ingest, clicksBy } = await openStatisticsApi({ after });
  const eva = await server.signUp('eva', 'user');

  test('users see their own statistics, and those that they were allowed to', async () => {
    await ingest([event({ user: 'shared' })]);
    const own = await server.call('statistics.ingest', { token: 'a', events: [event({ user: 'eva' })] }, eva);
    assert.equal(own.body.accepted, 1);
    const shared = { ...march, user: 'shared' };
    assert.match(await refusal('table', shared, eva), /^404 user: there are no statistics of shared/);
    await call('allow', { reader: 'eva', user: 'shared' });
    assert.equal((await server.call('statistics.table', shared, eva)).status, 200);
    const change = { kind: 'keyword', user: 'shared', entity: 17, name: 'mine' };
    assert.match(await refusal('entity.update', change, eva), /^404/, 'reading is not writing');
    await call('allow', { reader: 'eva', user: 'shared', access: 'write' });
    assert.equal((await server.call('statistics.entity.update', change, eva)).status, 200);
    await call('allow', { reader: 'eva', user: 'shared', access: 'none' });
    assert.match(await refusal('table', shared, eva), /^404/);
  });

  test('keys and programs that know series and table by their old names still work', async () => {
    await ingest([event({ user: 'olga' })]);
    const olga = await server.signUp('olga', 'user');
    const scopes = ['statistics.granularizedSumStats', 'statistics.filter2'];
    const { body } = await server.call('key.create', { name: 'old', scopes }, olga);
    const query = 'kind=keyword&user=olga&from=2026-03-01&to=2026-03-31';
    for (const [name, old] of [
      ['series', 'granularizedSumStats'],
      ['table', 'filter2'],
    ]) {
      const [now, before] = [
        await server.send('GET', `/api/v1/statistics/${name}?${query}`, body),
        await server.send('GET', `/api/v1/statistics/${old}?${query}`, body),
      ];
      assert.equal(now.status, 200, now.text);
      assert.match(now.text, /"clicks"/);
      assert.deepEqual([before.status, before.body], [200, now.body]);
    }
  });

  test('rpc takes methods of kinds, with the rights of the caller', async () => {
    await ingest([event({ user: 'called' })]);
    const parameters = { user: 'called', from: '2026-03-01', to: '2026-03-31', granularity: 'month' };
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
});
