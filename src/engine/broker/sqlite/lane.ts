import type { Message } from '../message-row.ts';
import { ownerOf } from '../owner-header.ts';
import { WaitingList } from '../waiting-list.ts';

/**
 * The ready messages of one lane: their number, and the first few of them read ahead into memory. Reading ahead claims
 * nothing: a message is ready until its handler starts.
 */
export class ReadyLane {
  /** All ready messages, in memory or on disk. */
  count = 0;
  readonly #ahead = new WaitingList<Message>();
  #bytes = 0;
  /** Every ready message up to this place is in `#ahead`. */
  #upTo = 0;
  #reading = false;
  /** Messages that came back at this place or later during a read are missing from it. */
  #barrier = Number.POSITIVE_INFINITY;

  get first(): Message | undefined {
    return this.#ahead.messages[0];
  }

  /** The owners of the messages read ahead. */
  get owners(): ReadonlyMap<string, unknown> {
    return this.#ahead.owners;
  }

  /** Takes the first message, or the first one of an owner. */
  take(owner = this.first && ownerOf(this.first)): Message | undefined {
    const message = owner === undefined ? undefined : this.#ahead.take(owner);
    if (!message) return undefined;
    this.count--;
    this.#bytes -= message.body.length;
    return message;
  }

  /** A new message is on disk. If all others are in memory, it joins them and need not be read. */
  published(message: Message, limit: ReadAhead): void {
    const complete = this.#ahead.length === this.count;
    this.count++;
    if (!complete || this.#ahead.length >= limit.messages || this.#bytes >= limit.bytes) return;
    this.#push(message);
    this.#upTo = message.seq;
  }

  /** `count` messages, the first of them at place `seq`, are ready again. */
  returned(seq: number, count = 1): void {
    this.count += count;
    this.#barrier = Math.min(this.#barrier, seq);
    if (seq > this.#upTo) return;
    this.#ahead.replace(this.#ahead.messages.filter((message) => message.seq < seq));
    this.#bytes = this.#ahead.messages.reduce((sum, message) => sum + message.body.length, 0);
    this.#upTo = seq - 1;
  }

  /** Forgets the messages read ahead. */
  clear(): void {
    this.returned(0, 0);
  }

  /** What to read now, if anything. Reads wait until half of what may be ahead is used up, so they are few. */
  wanted(limit: ReadAhead): { after: number; limit: number; bytes: number } | undefined {
    const few = this.#ahead.length <= limit.messages / 2 && this.#bytes <= limit.bytes / 2;
    if (this.#reading || !few || this.#ahead.length >= this.count) return undefined;
    this.#reading = true;
    this.#barrier = Number.POSITIVE_INFINITY;
    return {
      after: this.#upTo,
      limit: limit.messages - this.#ahead.length,
      bytes: limit.bytes - this.#bytes,
    };
  }

  /** The answer to a read. It includes claimed messages, which are still ready on disk. */
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

/** How much to read ahead. */
export interface ReadAhead {
  messages: number;
  bytes: number;
}
