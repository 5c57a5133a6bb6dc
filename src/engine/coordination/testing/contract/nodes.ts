import assert from 'node:assert/strict';
import { type Claim, code } from './claim.ts';

export function nodeClaims(claim: Claim): void {
  claim('a node has a path, a name, a value, and a version that grows', async (_, session) => {
    assert.equal(await session.get('/workers/w1'), undefined);
    const first = await session.set('/workers/w1', 'one');
    assert.deepEqual(first, {
      path: '/workers/w1',
      name: 'w1',
      value: 'one',
      version: first.version,
      ephemeral: false,
    });
    const second = await session.set('/workers/w1', 'two');
    assert.ok(second.version > first.version);
    assert.deepEqual(await session.get('/workers/w1'), second);
  });

  claim('creating a node that exists is refused', async (tree, session) => {
    const other = await tree.open('second');
    await session.create('/a', 'mine');
    await assert.rejects(other.create('/a', 'theirs'), code('node-exists'));
    await assert.rejects(session.create('/a', 'again', { ephemeral: true }), code('node-exists'));
    assert.equal((await other.get('/a'))?.value, 'mine');
  });

  claim('a write with a version succeeds only on that version', async (_, session) => {
    const { version } = await session.create('/a', '1');
    const next = await session.set('/a', '2', { version });
    await assert.rejects(session.set('/a', '3', { version }), code('node-changed'));
    await assert.rejects(session.delete('/a', { version }), code('node-changed'));
    assert.equal((await session.get('/a'))?.value, '2');
    await session.delete('/a', { version: next.version });
    await assert.rejects(session.set('/a', '4', { version: next.version }), code('node-changed'));
    await assert.rejects(session.delete('/a', { version: next.version }), code('node-changed'));
    await session.delete('/a');
    assert.equal(await session.get('/a'), undefined);
  });

  claim('concurrent compare-and-set loses no change', async (tree, session) => {
    await session.create('/counter', '0');
    const others = await Promise.all(['b', 'c', 'd'].map((identity) => tree.open(identity)));
    const add = async (by: typeof session) => {
      for (let done = 0; done < 10; ) {
        const node = await by.get('/counter');
        try {
          await by.set('/counter', String(Number(node?.value) + 1), { version: node?.version ?? -1 });
          done++;
        } catch (error) {
          if (!code('node-changed')(error)) throw error;
        }
      }
    };
    await Promise.all([session, ...others].map(add));
    assert.equal((await session.get('/counter'))?.value, '40');
  });

  claim('of many concurrent creates exactly one succeeds', async (tree, session) => {
    const others = await Promise.all(['b', 'c', 'd'].map((identity) => tree.open(identity)));
    const results = await Promise.allSettled([session, ...others].map((by) => by.create('/one', by.session)));
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 1);
  });

  claim('children are direct, sorted by name, and need no parent', async (_, session) => {
    for (const path of ['/w/b', '/w/a', '/w/c/deep', '/wx', '/w']) await session.set(path, path);
    assert.deepEqual(
      (await session.children('/w')).map((node) => node.value),
      ['/w/a', '/w/b'],
    );
    assert.deepEqual(
      (await session.children('/')).map((node) => node.name),
      ['w', 'wx'],
    );
    assert.deepEqual(await session.children('/nobody'), []);
    await session.delete('/w');
    assert.equal((await session.children('/w')).length, 2, 'children stay when their parent goes');
  });

  claim('ephemeral nodes end with the session that created them, others stay', async (tree, session) => {
    const other = await tree.open('second');
    await other.create('/here/second', 'x', { ephemeral: true });
    await other.create('/lasting', 'x');
    await session.create('/here/first', 'y', { ephemeral: true });
    // It belongs to its creator even if another session writes to it.
    assert.equal((await session.set('/here/second', 'changed')).ephemeral, true);
    await other.close();
    assert.deepEqual(
      (await session.children('/here')).map((node) => node.name),
      ['first'],
    );
    assert.equal((await session.get('/lasting'))?.value, 'x');
  });

  claim(
    'an expired session learns of it, loses its ephemeral nodes and can do nothing more',
    async (tree, session) => {
      const other = await tree.open('second');
      await other.create('/here/second', 'x', { ephemeral: true });
      assert.equal(other.lost.aborted, false);
      await tree.expire(other);
      assert.equal(other.lost.aborted, true);
      assert.deepEqual(await session.children('/here'), []);
      await assert.rejects(other.get('/here'), code('session-lost'));
      await assert.rejects(other.set('/a', 'late'), code('session-lost'));
      await assert.rejects(other.hold('/h', 'late'), code('session-lost'));
      assert.throws(() => other.watch('/a', () => {}), code('session-lost'));
      assert.equal(session.lost.aborted, false);
      await other.close();
    },
  );

  claim('a closed session can do nothing more, and closing twice is harmless', async (_, session) => {
    await session.close();
    await session.close();
    await assert.rejects(session.get('/a'), code('session-lost'));
    await assert.rejects(session.create('/a', ''), code('session-lost'));
    assert.equal(session.lost.aborted, false, 'closing is not losing');
  });

  claim('every session has a name of its own', async (tree, session) => {
    assert.notEqual((await tree.open('first')).session, session.session);
  });

  claim(
    'persistent nodes and their versions survive a restart, ephemeral ones do not',
    async (tree, session) => {
      await session.set('/stages/ocr', 'v1');
      const kept = await session.set('/stages/ocr', 'v2 \u{1f34e}');
      await session.set('/stages/gone', 'x');
      await session.delete('/stages/gone');
      await session.create('/workers/w1', 'x', { ephemeral: true });
      await tree.restart();
      const again = await tree.open('again');
      assert.deepEqual(await again.children('/stages'), [kept]);
      assert.deepEqual(await again.children('/workers'), []);
      assert.ok((await again.set('/stages/ocr', 'v3', { version: kept.version })).version > kept.version);
    },
  );

  claim('values up to 512 KB are kept, larger ones refused', async (_, session) => {
    const largest = 'ž'.repeat(256 * 1024);
    await session.set('/big', largest);
    assert.equal((await session.get('/big'))?.value, largest);
    await assert.rejects(session.set('/big', `${largest}x`), code('too-large'));
    await assert.rejects(session.create('/bigger', `${largest}x`), code('too-large'));
    assert.equal((await session.set('/empty', '')).value, '');
  });

  claim('malformed paths and values are refused', async (_, session) => {
    const wrong = [
      '',
      '/',
      'a',
      '/a/',
      '//a',
      '/a//b',
      '/a/../b',
      '/.',
      '/a\n',
      '/a\0',
      '/\ud800',
      `/${'x'.repeat(1000)}`,
    ];
    for (const path of wrong) {
      await assert.rejects(session.get(path), code('invalid-input'), path);
      await assert.rejects(session.set(path, ''), code('invalid-input'), path);
      await assert.rejects(session.delete(path), code('invalid-input'), path);
      await assert.rejects(session.hold(path, 'me'), code('invalid-input'), path);
      assert.throws(() => session.watch(path, () => {}), code('invalid-input'), path);
    }
    await assert.rejects(session.children('a'), code('invalid-input'));
    await assert.rejects(session.set('/a', 'half \ud800'), code('invalid-input'));
    await session.set('/Ústí nad Labem/w:1@host#2', 'fine');
  });
}
