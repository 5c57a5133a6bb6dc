import assert from 'node:assert/strict';
import type { Delivery } from '../../broker.ts';

interface ModelMessage {
  id: string;
  place: number;
  high: boolean;
  state: 'ready' | 'delayed' | 'dead';
  attempts: number;
  failures: number;
}

/** The simplest model of a queue. */
export class MessageModel {
  readonly #keepsPlaces: boolean;
  #messages: ModelMessage[] = [];
  #published = 0;

  constructor(keepsPlaces: boolean) {
    this.#keepsPlaces = keepsPlaces;
  }

  /** In the order of delivery. */
  get ready(): ModelMessage[] {
    const ready = this.#in('ready');
    return [...ready.filter((message) => message.high), ...ready.filter((message) => !message.high)];
  }

  get delayed(): ModelMessage[] {
    return this.#in('delayed');
  }

  get dead(): ModelMessage[] {
    return this.#in('dead');
  }

  publish(high: boolean): string {
    const place = this.#published++;
    const id = `m${place}`;
    this.#messages.push({ id, place, high, state: 'ready', attempts: 0, failures: 0 });
    return id;
  }

  /** Checks that this message was the next one, and settles it in the model the same way. */
  taken(delivery: Delivery, how: string): void {
    const next = this.ready[0];
    const message = this.#keepsPlaces ? next : this.ready.find((one) => one.id === delivery.id);
    assert.ok(next && message, `${delivery.id} was not ready`);
    assert.equal(delivery.id, message.id);
    assert.equal(message.high, next.high, 'the high lane comes first');
    assert.equal(delivery.attempt, message.attempts + 1);
    assert.equal(delivery.history.length, message.failures);
    if (how !== 'release') message.attempts++;
    if (how === 'ack') this.delete([message]);
    if (how === 'retry now' || how === 'retry later' || how === 'dead-letter') message.failures++;
    if (how === 'retry later') message.state = 'delayed';
    if (how === 'dead-letter') message.state = 'dead';
  }

  redrive(messages: readonly ModelMessage[]): number {
    for (const message of messages) Object.assign(message, { state: 'ready', attempts: 0 });
    return messages.length;
  }

  delete(messages: readonly ModelMessage[]): number {
    this.#messages = this.#messages.filter((message) => !messages.includes(message));
    return messages.length;
  }

  /** Time passes: every delayed message becomes ready. */
  pass(): void {
    for (const message of this.delayed) message.state = 'ready';
  }

  /** Ids in a form that suits both brokers that keep places and brokers that don't. */
  comparable(ids: readonly string[]): string[] {
    return this.#keepsPlaces ? [...ids] : [...ids].sort();
  }

  #in(state: ModelMessage['state']): ModelMessage[] {
    return this.#messages.filter((message) => message.state === state).sort((a, b) => a.place - b.place);
  }
}
