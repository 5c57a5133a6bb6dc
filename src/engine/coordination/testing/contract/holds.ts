import assert from 'node:assert/strict';
import type { Hold } from '../../coordination.ts';
import { type Claim, code } from './claim.ts';

const leader = '/leaders/watchdog';

export function holdClaims(claim: Claim): void {
  claim('a hold has one holder, visible to all sessions', async (tree, session) => {
    const other = await tree.open('second');
    assert.equal(await session.holder(leader), undefined);
    const hold = await session.hold(leader, 'w1');
    assert.equal(hold.path, leader);
    assert.equal(hold.identity, 'w1');
    assert.equal(hold.lost.aborted, false);
    assert.deepEqual(await other.holder(leader), { identity: 'w1', fence: hold.fence });
    assert.equal(await session.get(leader), undefined, 'a hold is not a node');
    await hold.release();
    await hold.release();
    assert.equal(await other.holder(leader), undefined);
    assert.equal(hold.lost.aborted, false, 'releasing is not losing');
  });

  claim('holds of different paths are independent', async (_, session) => {
    const [a, b] = await Promise.all([session.hold('/a', 'x'), session.hold('/b', 'y')]);
    assert.equal((await session.holder('/a'))?.identity, a?.identity);
    assert.equal((await session.holder('/b'))?.identity, b?.identity);
  });

  claim('a hold passes on in request order, and its fence grows each time', async (tree, session) => {
    const sessions = await Promise.all([1, 2, 3, 4].map((number) => tree.open(`w${number}`)));
    const first = await session.hold(leader, 'w0');
    const order: string[] = [];
    const fences = [first.fence];
    let holders = 1;
    const terms: Promise<void>[] = [];
    for (const [index, other] of sessions.entries()) {
      const term = async (hold: Hold) => {
        assert.equal(++holders, 1, 'never two at once');
        order.push(hold.identity);
        fences.push(hold.fence);
        assert.deepEqual(await session.holder(leader), { identity: hold.identity, fence: hold.fence });
        holders--;
        await hold.release();
      };
      terms.push(other.hold(leader, `w${index + 1}`).then(term));
      // Sessions take places in the order in which the store sees their calls.
      await other.holder(leader);
    }
    holders--;
    await first.release();
    await Promise.all(terms);
    assert.deepEqual(order, ['w1', 'w2', 'w3', 'w4']);
    assert.deepEqual(
      fences,
      [...new Set(fences)].sort((a, b) => a - b),
    );
  });

  claim('a session that stops waiting leaves the queue, and the next one moves up', async (tree, session) => {
    const [second, third] = [await tree.open('second'), await tree.open('third')];
    const hold = await session.hold(leader, 'w1');
    const patience = new AbortController();
    const impatient = second.hold(leader, 'w2', patience.signal);
    const patient = third.hold(leader, 'w3');
    const why = new Error('enough');
    patience.abort(why);
    await assert.rejects(impatient, (error) => error === why);
    await assert.rejects(second.hold(leader, 'w2', patience.signal), (error) => error === why);
    await hold.release();
    assert.equal((await patient).identity, 'w3');
  });

  claim('closing a session releases its holds and its places in queues', async (tree, session) => {
    const [second, third] = [await tree.open('second'), await tree.open('third')];
    const first = await session.hold(leader, 'w1');
    const waiting = second.hold(leader, 'w2');
    const next = third.hold(leader, 'w3');
    await Promise.all([assert.rejects(waiting, code('session-lost')), second.close()]);
    await session.close();
    assert.equal(first.lost.aborted, true);
    assert.equal((await next).identity, 'w3');
  });

  claim(
    'an expired session loses its hold and learns of it, and another takes over',
    async (tree, session) => {
      const other = await tree.open('second');
      const old = await other.hold(leader, 'w1');
      const waiting = session.hold(leader, 'w2');
      await tree.expire(other);
      assert.equal(old.lost.aborted, true);
      const hold = await waiting;
      assert.ok(hold.fence > old.fence);
      assert.deepEqual(await session.holder(leader), { identity: 'w2', fence: hold.fence });
    },
  );

  claim('writes under a hold succeed while it is held', async (_, session) => {
    const hold = await session.hold(leader, 'w1');
    const node = await session.set('/plan', '1', { under: hold });
    await session.set('/plan', '2', { under: hold, version: node.version });
    await assert.rejects(
      session.set('/plan', '3', { under: hold, version: node.version }),
      code('node-changed'),
    );
    await session.delete('/plan', { under: hold });
    assert.equal(await session.get('/plan'), undefined);
  });

  claim('late writes of an earlier holder are refused', async (tree, session) => {
    const other = await tree.open('second');
    const old = await session.hold(leader, 'w1');
    const waiting = other.hold(leader, 'w2');
    await old.release();
    const hold = await waiting;
    await other.set('/plan', 'new', { under: hold });
    await assert.rejects(session.set('/plan', 'late', { under: old }), code('hold-lost'));
    await assert.rejects(session.delete('/plan', { under: old }), code('hold-lost'));
    // Even if the same session holds it again: that is a new hold.
    await hold.release();
    const again = await session.hold(leader, 'w1');
    await assert.rejects(session.set('/plan', 'late', { under: old }), code('hold-lost'));
    await old.release();
    assert.equal((await session.holder(leader))?.fence, again.fence, 'an old hold cannot release a new one');
    assert.equal((await session.get('/plan'))?.value, 'new');
  });

  claim(
    "a write that a deposed holder had under way does not come after the next holder's",
    async (tree, session) => {
      for (let round = 0; round < 10; round++) {
        const old = await tree.open(`old-${round}`);
        const hold = await old.hold(leader, 'old');
        const next = session.hold(leader, 'next');
        const late = old.set('/plan', 'old', { under: hold }).catch(() => {});
        const expired = tree.expire(old);
        const mine = await next;
        await session.set('/plan', 'next', { under: mine });
        await Promise.all([late, expired]);
        assert.equal((await session.get('/plan'))?.value, 'next');
        await mine.release();
      }
    },
  );

  claim('a session cannot write under the hold of another session', async (tree, session) => {
    const other = await tree.open('second');
    const hold = await session.hold(leader, 'w1');
    await assert.rejects(other.set('/plan', 'x', { under: hold }), code('hold-lost'));
  });

  claim('a restart ends holds, and fences keep growing', async (tree, session) => {
    const before = await session.hold(leader, 'w1');
    await tree.restart();
    const again = await tree.open('again');
    assert.equal(await again.holder(leader), undefined);
    const after = await again.hold(leader, 'w1');
    assert.ok(after.fence > before.fence);
  });
}
