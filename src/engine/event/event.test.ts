import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createChangeLog } from './change-log.ts';
import { createEvents } from './event.ts';

test('the latest events are kept up to a limit, and dropped ones are counted', () => {
  const events = createEvents(3);
  for (let at = 1; at <= 5; at++) events.emit({ kind: at % 2 ? 'odd' : 'even', entity: 'x', at });
  assert.deepEqual(
    events.recent().map((event) => event.at),
    [3, 4, 5],
  );
  assert.deepEqual(
    events.recent({ kind: 'odd', limit: 1 }).map((event) => event.at),
    [5],
  );
  assert.equal(events.dropped, 2);
});

test('a listener that throws does not stop the others', () => {
  const events = createEvents();
  const heard: number[] = [];
  events.subscribe(() => {
    throw new Error('broken');
  });
  const stop = events.subscribe((event) => heard.push(event.at));
  events.emit({ kind: 'k', entity: 'e', at: 1 });
  stop();
  events.emit({ kind: 'k', entity: 'e', at: 2 });
  assert.deepEqual(heard, [1]);
});

test('a client that was away gets the changes since, or must read everything again', () => {
  const changes = createChangeLog({ now: () => 5 }, 4);
  const start = changes.lastId;
  for (const entity of ['a', 'b', 'c']) changes.add({ kind: 'stage', entity });
  assert.deepEqual(
    changes.since(start + 1)?.map((change) => change.entity),
    ['b', 'c'],
  );
  assert.deepEqual(changes.since(changes.lastId), []);
  for (let i = 0; i < 20; i++) changes.add({ kind: 'stage', entity: `${i}` });
  assert.equal(changes.since(start), undefined);
  assert.equal(changes.since(changes.lastId + 1), undefined, 'a number of another process');
});
