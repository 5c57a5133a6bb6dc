import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../engine/time/clock.ts';
import { startProgress } from './progress.ts';

function watch(options: { isTTY: boolean; total?: number }) {
  const clock = new ManualClock();
  const written: string[] = [];
  const stderr = { isTTY: options.isTTY, columns: 80, write: (text: string) => written.push(text) };
  return {
    clock,
    written,
    progress: startProgress({ stderr, clock, what: 'requests', total: options.total }),
  };
}

test('on a terminal a bar shows rate and time left, redrawn in its place but not too often', () => {
  const { clock, written, progress } = watch({ isTTY: true, total: 100 });
  progress.set(0);
  for (let done = 1; done <= 50; done++) {
    clock.advance(10);
    progress.set(done);
  }
  assert.equal(written.length, 6);
  assert.equal(
    written.at(-1),
    `\r\x1b[K[${'█'.repeat(10)}${' '.repeat(10)}] 50 of 100 requests, 100 per s, 500 ms left`,
  );
  progress.close();
  progress.close();
  assert.equal(written.filter((text) => text === '\n').length, 1);
});

test('elsewhere a line comes now and then, and at the end', () => {
  const { clock, written, progress } = watch({ isTTY: false });
  for (let done = 1; done <= 150; done++) {
    clock.advance(100);
    progress.set(done);
  }
  progress.close();
  assert.deepEqual(written, ['100 requests, 10 per s\n', '150 requests, 10 per s\n']);
});
