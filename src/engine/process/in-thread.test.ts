import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inThread } from './in-thread.ts';

const limits = { signal: new AbortController().signal, memoryMb: 16 };
/** A module of a thread that answers with the value of this expression of `question`. */
const module = (expression: string) => {
  const helper = new URL('./in-thread.ts', import.meta.url).href;
  const code = `import { answerInThread } from '${helper}'; await answerInThread((question) => ${expression});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
};

test('an answer comes from a thread', async () => {
  assert.equal(await inThread(module('question.of * 2'), { of: 21 }, limits), 42);
});

test('an endless computation ends with its signal', async () => {
  const stop = new AbortController();
  const endless = inThread(module('{ for (;;); }'), {}, { ...limits, signal: stop.signal });
  stop.abort(new Error('the caller left'));
  await assert.rejects(endless, /the caller left/);
});

test('a computation that needs too much memory is refused, and one that fails is told', async () => {
  const hungry = module('{ const all = []; for (;;) all.push(new Array(100_000).fill(all.length)); }');
  await assert.rejects(inThread(hungry, {}, limits), { code: 'too-large', message: /16 MB/ });
  await assert.rejects(inThread(module('question.missing.part'), {}, limits), /missing|undefined/);
});
