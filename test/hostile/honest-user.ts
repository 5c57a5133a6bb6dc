import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { send, type Visitor } from './target.ts';

/** Latencies in milliseconds. */
export interface Latency {
  count: number;
  median: number;
  p99: number;
  most: number;
}

export interface Experience {
  calls: Latency;
  requests: Latency;
  /** From the order of a mail until its relay has it. */
  mails: Latency;
  /** The calls by operation: which of them were slow. */
  reads: Record<string, Latency>;
}

/**
 * A user with a steady load: reads that a page of a console would make, and small requests whose results it fetches.
 * Every failure counts: whatever the others do, nothing may be refused to this user.
 */
export class HonestUser {
  readonly #url: string;
  readonly #visitor: Visitor;
  #calls: { operation: string; ms: number }[] = [];
  #turnarounds: number[] = [];
  #deliveries: number[] = [];
  #mails = 0;
  readonly #arrival: (address: string) => Promise<void>;
  readonly #pace: number;
  readonly failures: string[] = [];

  /** `arrival` resolves when the relay has a mail to this address; with a `pace` of 2, pauses are half as long. */
  constructor(url: string, visitor: Visitor, arrival: (address: string) => Promise<void>, pace = 1) {
    this.#url = url;
    this.#visitor = visitor;
    this.#arrival = arrival;
    this.#pace = pace;
  }

  /** Works until the signal; returns what it saw in this time. */
  async work(signal: AbortSignal): Promise<Experience> {
    this.#calls = [];
    this.#turnarounds = [];
    this.#deliveries = [];
    await Promise.all([this.#read(signal), this.#transcribe(signal), this.#order(signal)]);
    const reads = Object.entries(Object.groupBy(this.#calls, ({ operation }) => operation));
    return {
      calls: latency(this.#calls.map(({ ms }) => ms)),
      requests: latency(this.#turnarounds),
      mails: latency(this.#deliveries),
      reads: Object.fromEntries(reads.map(([name, all = []]) => [name, latency(all.map(({ ms }) => ms))])),
    };
  }

  async call<T>(operation: string, input: Record<string, unknown>, method = 'POST'): Promise<T> {
    const path = `/api/v1/${operation.replace('.', '/')}`;
    const body = JSON.stringify(input);
    const query = new URLSearchParams(input as Record<string, string>).toString();
    const reply = await send(
      this.#url,
      this.#visitor,
      method === 'GET'
        ? { method, path: `${path}?${query}` }
        : { method, path, headers: { 'content-type': 'application/json' }, body },
    );
    if (reply.status !== 200) throw new Error(`${operation}: ${reply.status} ${reply.text.slice(0, 300)}`);
    return JSON.parse(reply.text) as T;
  }

  async #read(signal: AbortSignal): Promise<void> {
    const reads: [string, Record<string, unknown>][] = [
      ['status.show', {}],
      ['document.ls', { limit: '20' }],
      ['search.text', { words: 'obec' }],
      ['pipeline.ls', {}],
    ];
    for (let turn = 0; !signal.aborted; turn++) {
      const [operation, input] = reads[turn % reads.length] ?? assert.fail();
      const startedAt = performance.now();
      await this.#attempt(async () => {
        await this.call(operation, input, 'GET');
        this.#calls.push({ operation, ms: performance.now() - startedAt });
      });
      await wait(50 / this.#pace);
    }
  }

  async #transcribe(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      await this.#attempt(async () => {
        const content = Buffer.from('a page').toString('base64');
        const files = [{ name: 'page.txt', content }];
        await this.call('request.submit', { pipeline: 'honest', output: 'honest-results', files });
        const { results } = await this.call<{ results: { receipt: string }[] }>('results.take', {
          queue: 'honest-results',
          waitMs: 30_000,
        });
        if (results.length === 0) throw new Error('no result within 30 s');
        this.#turnarounds.push(performance.now() - startedAt);
        await this.call('results.confirm', { receipts: results.map(({ receipt }) => receipt) });
      });
      await wait(200 / this.#pace);
    }
  }

  async #order(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now();
      await this.#attempt(async () => {
        const to = `honest${++this.#mails}@example.org`;
        const arrived = this.#arrival(to);
        await this.call('mail.send', { type: 'order', to, data: { number: this.#mails, items: ['book'] } });
        const isThere = arrived.then(() => true);
        if (!(await Promise.race([isThere, wait(30_000, false)])))
          throw new Error('the mail of an order did not arrive within 30 s');
        this.#deliveries.push(performance.now() - startedAt);
      });
      await wait(200 / this.#pace);
    }
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failures.push(error instanceof Error ? error.message : String(error));
    }
  }
}

function latency(values: number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round((sorted[Math.ceil(sorted.length * share) - 1] ?? 0) * 10) / 10;
  return { count: sorted.length, median: at(0.5), p99: at(0.99), most: at(1) };
}
