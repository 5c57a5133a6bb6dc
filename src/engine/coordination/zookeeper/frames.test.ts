import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Frames, frame } from './frames.ts';

test('messages come out complete and in order, however the stream is split', () => {
  const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 10 });
  const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 30 }));
  fc.assert(
    fc.property(messages, cuts, (all, sizes) => {
      const stream = Buffer.concat(all.map((message) => frame(Buffer.from(message))));
      const frames = new Frames();
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const size = sizes.next().value ?? 1;
        found.push(...frames.add(stream.subarray(at, at + size)));
        at += size;
      }
      assert.deepEqual(
        found,
        all.map((message) => Buffer.from(message)),
      );
    }),
  );
});

test('an impossible length is refused before memory is reserved for it', () => {
  for (const length of [-1, 64 * 1024 * 1024 + 1, 0x7fff_ffff]) {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32BE(length);
    assert.throws(() => [...new Frames().add(bytes)], RangeError);
  }
});
