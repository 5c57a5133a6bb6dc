import assert from 'node:assert/strict';
import fc from 'fast-check';
import { eventually } from '../../../testing/eventually.ts';
import type { Coordination, Node } from '../../coordination.ts';
import { type Claim, code } from './claim.ts';

/** The latest state a watch has reported, and how often it reported. */
function watching(session: Coordination, path: string) {
  const seen: (string | undefined)[] = [];
  const unwatch = session.watch(path, (node) => seen.push(node?.value));
  return { seen, unwatch, reads: (value: string | undefined) => seen.length > 0 && seen.at(-1) === value };
}

function watchingChildren(session: Coordination, path: string) {
  let latest: string | undefined;
  const listener = (nodes: Node[]) => {
    latest = nodes.map((node) => `${node.name}=${node.value}`).join(' ');
  };
  return { unwatch: session.watchChildren(path, listener), reads: (all: string) => latest === all };
}

export function watchClaims(claim: Claim): void {
  claim(
    'a watch reports the current state, then each later one, including deletion',
    async (tree, session) => {
      const other = await tree.open('second');
      const absent = watching(session, '/a');
      assert.deepEqual(absent.seen, [], 'never before `watch` has returned');
      await eventually('absence is reported', () => absent.reads(undefined));
      await other.set('/a', '1');
      await eventually('creation is reported', () => absent.reads('1'));
      const present = watching(session, '/a');
      await eventually('presence is reported', () => present.reads('1'));
      await other.set('/a', '2');
      await eventually('the change is reported', () => absent.reads('2') && present.reads('2'));
      await other.delete('/a');
      await eventually('deletion is reported', () => absent.reads(undefined) && present.reads(undefined));
    },
  );

  claim('a watch of children reports the children and their values', async (tree, session) => {
    const other = await tree.open('second');
    const children = watchingChildren(session, '/w');
    await eventually('none', () => children.reads(''));
    await other.set('/w/b', '1');
    await other.create('/w/a', '1', { ephemeral: true });
    await other.set('/w/a/deeper', 'not a child');
    await eventually('two', () => children.reads('a=1 b=1'));
    await other.set('/w/b', '2');
    await eventually('changed value', () => children.reads('a=1 b=2'));
    await other.close();
    await eventually('ephemeral gone', () => children.reads('b=2'));
  });

  claim('a watch of the root reports its children', async (_, session) => {
    const children = watchingChildren(session, '/');
    await session.set('/x', '1');
    await eventually('one', () => children.reads('x=1'));
  });

  claim('the nodes of an expired session vanish from the watches of others', async (tree, session) => {
    const other = await tree.open('second');
    await other.create('/w/a', '1', { ephemeral: true });
    const node = watching(session, '/w/a');
    const children = watchingChildren(session, '/w');
    await eventually('there', () => node.reads('1') && children.reads('a=1'));
    await tree.expire(other);
    await eventually('gone', () => node.reads(undefined) && children.reads(''));
  });

  claim('a storm of writes never hides the last state', async (tree, session) => {
    const writers = await Promise.all(['b', 'c'].map((identity) => tree.open(identity)));
    const step = fc.record({
      writer: fc.nat({ max: 1 }),
      path: fc.constantFrom('/s/a', '/s/b'),
      value: fc.option(
        fc.string({ maxLength: 3 }).filter((text) => !text.includes('\0')),
        { nil: undefined },
      ),
      together: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        const nodes = ['/s/a', '/s/b'].map((path) => ({ path, watch: watching(session, path) }));
        const children = watchingChildren(session, '/s');
        const pending: Promise<unknown>[] = [];
        for (const { writer, path, value, together } of steps) {
          const by = writers[writer] ?? session;
          pending.push(value === undefined ? by.delete(path) : by.set(path, value));
          if (!together) await Promise.all(pending.splice(0));
        }
        await Promise.all(pending);
        for (const { path, watch } of nodes) {
          const last = (await session.get(path))?.value;
          await eventually(`${path} reads ${last}`, () => watch.reads(last));
          watch.unwatch();
        }
        const all = (await session.children('/s')).map((node) => `${node.name}=${node.value}`).join(' ');
        await eventually(`children read ${all}`, () => children.reads(all));
        children.unwatch();
      }),
      { numRuns: 25 },
    );
  });

  claim('a listener that throws does not disturb others', async (_, session) => {
    session.watch('/a', () => {
      throw new Error('listener of a test');
    });
    session.watch('/a', async () => {
      throw new Error('async listener of a test');
    });
    const good = watching(session, '/a');
    await session.set('/a', '1');
    await eventually('told', () => good.reads('1'));
    await session.set('/a', '2');
    await eventually('told again', () => good.reads('2'));
  });

  claim('a listener that changes its copy of a node does not affect other listeners', async (_, session) => {
    session.watch('/a', (node) => {
      if (node) node.value = 'scribbled';
    });
    const good = watching(session, '/a');
    await session.set('/a', '1');
    await eventually('told', () => good.reads('1'));
    assert.equal((await session.get('/a'))?.value, '1');
  });

  claim('a watch reports nothing after unwatching or closing', async (tree, session) => {
    const other = await tree.open('second');
    const stopped = watching(session, '/a');
    const closed = watching(other, '/a');
    const witness = watching(session, '/a');
    await eventually('all told', () => [stopped, closed, witness].every((watch) => watch.reads(undefined)));
    stopped.unwatch();
    stopped.unwatch();
    await other.close();
    await session.set('/a', '1');
    await eventually('the witness sees it', () => witness.reads('1'));
    assert.deepEqual([stopped.seen, closed.seen], [[undefined], [undefined]]);
    assert.throws(() => other.watchChildren('/a', () => {}), code('session-lost'));
  });
}
