import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createCallTurns } from '../turns/call-turns.ts';
import { openInTurn } from './stream-turns.ts';

const engine = () => ({ callTurns: createCallTurns() });
const never = new AbortController().signal;

async function* bytes() {
  for (let count = 0; count < 3; count++) yield Buffer.from('bytes');
}
const opened = async () => ({ content: bytes(), type: 'text/plain', fileName: 'a' });

test('a user has two large downloads at once; the next begins when one ends, fails or is left', async () => {
  const own = engine();
  const open = (signal = never) => openInTurn(own, { heavy: true }, { owner: 'anna', signal }, opened);
  const leaving = new AbortController();
  const endings: ((content: AsyncIterable<Uint8Array>) => unknown)[] = [
    (content) => Array.fromAsync(content),
    // Never read at all, as for a HEAD request.
    (content) => Readable.from(content).destroy(),
    async (content) => {
      for await (const _ of content) break;
    },
    () => leaving.abort(),
  ];
  await open();
  let running = await open(leaving.signal);
  for (const end of endings.reverse()) {
    let isOpen = false;
    const next = open().then((stream) => {
      isOpen = true;
      return stream;
    });
    await Promise.resolve();
    assert.equal(isOpen, false);
    await end(running.content);
    running = await next;
  }
});

test('a stream that can’t be opened gives its turn back', async () => {
  const own = engine();
  for (let count = 0; count < 5; count++) {
    const opening = openInTurn(own, { heavy: true }, { owner: 'anna', signal: never }, async () =>
      assert.fail('no such file'),
    );
    await assert.rejects(opening, /no such file/);
  }
});
