import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf } from './path-pattern.ts';

test('an address leads to its page with its parts, decoded', () => {
  const crawl = patternOf('robot/crawls/:id/:tab?');
  assert.deepEqual(crawl('robot/crawls/12'), { id: '12', tab: undefined });
  assert.deepEqual(crawl('robot/crawls/a%2Fb/hosts'), { id: 'a/b', tab: 'hosts' });
  assert.deepEqual(crawl('robot/crawls/%zz'), { id: '%zz', tab: undefined });
  for (const other of ['robot/crawls', 'robot/crawls/1/hosts/2', 'robot/hosts/1', ''])
    assert.equal(crawl(other), undefined, other);
});

test('a part called like something of every object is only a part', () => {
  assert.deepEqual(patternOf('a/:id')('a/constructor'), { id: 'constructor' });
});
