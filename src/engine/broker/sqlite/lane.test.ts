import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Message } from '../message-row.ts';
import { ReadyLane } from './lane.ts';

const room = { messages: 4, bytes: 1000 };

function messageAt(seq: number): Message {
  const body = new Uint8Array(10);
  return { seq, id: `m${seq}`, lane: 'normal', attempts: 0, publishedAt: 0, headers: {}, history: [], body };
}

/** A lane and its disk. Reads see the disk as it was when they were requested. */
class LaneOnDisk {
  readonly lane = new ReadyLane();
  readonly ready = new Set<number>();
  readonly claimed = new Set<number>();
  readonly delayed = new Set<number>();
  #seq = 0;
  #answer: Message[] | undefined;

  publish(): void {
    const message = messageAt(++this.#seq);
    this.ready.add(message.seq);
    this.lane.published(message, room);
  }

  take(): void {
    const message = this.lane.take();
    if (!message) return;
    assert.equal(message.seq, Math.min(...this.ready), 'the first ready message comes first');
    this.ready.delete(message.seq);
    this.claimed.add(message.seq);
  }

  giveBack(which: number): void {
    this.#comesBack(this.claimed, which);
  }

  delay(which: number): void {
    // Answers come in request order, so this claim outlives the read.
    this.answer();
    const seq = [...this.claimed][which % this.claimed.size];
    if (seq === undefined) return;
    this.claimed.delete(seq);
    this.delayed.add(seq);
  }

  wake(which: number): void {
    this.#comesBack(this.delayed, which);
  }

  clear(): void {
    this.lane.clear();
  }

  #comesBack(from: Set<number>, which: number): void {
    const seq = [...from][which % from.size];
    if (seq === undefined) return;
    from.delete(seq);
    this.ready.add(seq);
    this.lane.returned(seq);
  }

  ask(): void {
    const wanted = this.lane.wanted(room);
    if (!wanted) return;
    const onDisk = [...this.ready, ...this.claimed].sort((a, b) => a - b);
    this.#answer = onDisk
      .filter((seq) => seq > wanted.after)
      .slice(0, wanted.limit)
      .map(messageAt);
  }

  answer(): void {
    if (!this.#answer) return;
    this.lane.received(this.#answer, (seq) => this.claimed.has(seq));
    this.#answer = undefined;
  }
}

test('a lane delivers every ready message in order, even if messages come back while it reads', () => {
  const kind = fc.constantFrom(
    ...(['publish', 'take', 'ask', 'answer', 'giveBack', 'delay', 'wake'] as const),
  );
  const step = fc.record({
    kind: fc.oneof({ weight: 20, arbitrary: kind }, fc.constant('clear' as const)),
    which: fc.nat(9),
  });
  const property = fc.property(fc.array(step, { maxLength: 150, size: 'max' }), (steps) => {
    const disk = new LaneOnDisk();
    for (const { kind, which } of steps) {
      disk[kind](which);
      assert.equal(disk.lane.count, disk.ready.size);
    }
    for (let tries = 0; disk.ready.size > 0; tries++) {
      assert.ok(tries < 1000, `stuck with ${[...disk.ready]}`);
      disk.take();
      disk.ask();
      disk.answer();
    }
  });
  fc.assert(property, { numRuns: 2000 });
});

test('reading ahead is limited by bytes too', () => {
  const lane = new ReadyLane();
  const small = { messages: 100, bytes: 25 };
  for (let seq = 1; seq <= 10; seq++) lane.published(messageAt(seq), small);
  const taken = [];
  for (let message = lane.take(); message; message = lane.take()) taken.push(message.seq);
  assert.deepEqual(taken, [1, 2, 3]);
  assert.deepEqual(lane.wanted(small), { after: 3, limit: 100, bytes: 25 });
});
