import assert from 'node:assert/strict';
import { test } from 'node:test';
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
