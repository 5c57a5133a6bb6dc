import type { Message } from '../message-row.ts';

/**
 * The ready messages of one lane: how many there are, and the first few of them read ahead into memory. What is read
 * ahead is no claim: it is ready until a handler starts.
 */
export class ReadyLane {
  /** All that are ready, in memory or on disk. */
  count = 0;
  #ahead: Message[] = [];
  #bytes = 0;
  /** Every ready message up to this place is in `#ahead`. */
  #upTo = 0;
  #reading = false;
  /** What came back while we read, at this place or later, is not in what we read. */
  #barrier = Number.POSITIVE_INFINITY;

  get first(): Message | undefined {
    return this.#ahead[0];
  }

  take(): Message | undefined {
    const message = this.#ahead.shift();
    if (!message) return undefined;
    this.count--;
    this.#bytes -= message.body.length;
    return message;
  }

  /** A new message is on disk. When all others are in memory it can join them, and need not be read. */
  published(message: Message, room: Room): void {
    const complete = this.#ahead.length === this.count;
    this.count++;
    if (!complete || this.#ahead.length >= room.messages || this.#bytes >= room.bytes) return;
    this.#push(message);
    this.#upTo = message.seq;
  }

  /** `count` messages, the first of them at place `seq`, are ready again. */
  cameBack(seq: number, count = 1): void {
    this.count += count;
    this.#barrier = Math.min(this.#barrier, seq);
    if (seq > this.#upTo) return;
    this.#ahead = this.#ahead.filter((message) => message.seq < seq);
    this.#bytes = this.#ahead.reduce((sum, message) => sum + message.body.length, 0);
    this.#upTo = seq - 1;
  }

  /** Forgets what was read ahead. */
  clear(): void {
    this.cameBack(0, 0);
  }

  /** What to read now, if anything: begins when half of the room is empty, so that reads are few. */
  wanted(room: Room): { after: number; limit: number; bytes: number } | undefined {
    const few = this.#ahead.length <= room.messages / 2 && this.#bytes <= room.bytes / 2;
    if (this.#reading || !few || this.#ahead.length >= this.count) return undefined;
    this.#reading = true;
    this.#barrier = Number.POSITIVE_INFINITY;
    return { after: this.#upTo, limit: room.messages - this.#ahead.length, bytes: room.bytes - this.#bytes };
  }

  /** The answer to what was wanted. Claimed messages are ready ones on disk, so they are among them. */
  received(messages: readonly Message[], isClaimed: (seq: number) => boolean): void {
    this.#reading = false;
    for (const message of messages) {
      if (message.seq >= this.#barrier) break;
      this.#upTo = message.seq;
      if (!isClaimed(message.seq)) this.#push(message);
    }
  }

  notReceived(): void {
    this.#reading = false;
  }

  #push(message: Message): void {
    this.#ahead.push(message);
    this.#bytes += message.body.length;
  }
}

/** How much may be read ahead. */
export interface Room {
  messages: number;
  bytes: number;
}
