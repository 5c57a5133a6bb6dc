import { z } from 'zod';
import type { Clock } from '../../time/clock.ts';
import type { RecordStream } from './record-stream.ts';

/** A handler that is done sooner than this, and publishes nothing, costs no record. */
const graceMs = 10;
/** Clocks differ, and the stream is indexed coarsely. */
const marginSeconds = 60;

const record = z.object({ charges: z.array(z.tuple([z.string(), z.number()])) });

/** What a message in hand was charged. */
export interface Charge {
  life: string;
  attempts: number;
  isWritten: boolean;
}

/**
 * Attempts of messages that are being processed. The server counts deliveries, those of messages that nobody started
 * too, so we write into a stream what we start; whoever gets a message for the second time looks there.
 */
export class Charges {
  readonly #stream: RecordStream;
  readonly #clock: Clock;
  readonly #unwritten = new Set<Charge>();
  #cancelTimer: (() => void) | undefined;
  #asked: {
    life: string;
    since: number;
    resolve: (attempts: number | undefined) => void;
    reject: (error: unknown) => void;
  }[] = [];
  #scanning = false;

  constructor(stream: RecordStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  begin(life: string, attempts: number): Charge {
    const charge = { life, attempts, isWritten: false };
    this.#unwritten.add(charge);
    this.#cancelTimer ??= this.#clock.after(graceMs, () => this.write());
    return charge;
  }

  /** Its message was settled: a charge that was not written need not be. */
  end(charge: Charge): void {
    this.#unwritten.delete(charge);
  }

  /** The attempt never was: what was written is taken back. */
  async revoke(charge: Charge): Promise<void> {
    this.end(charge);
    if (charge.isWritten) await this.#stream.append({ charges: [[charge.life, charge.attempts - 1]] });
  }

  /** Called before anything is published: on one channel, so whatever is confirmed later implies these charges. */
  write(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#unwritten.size === 0) return;
    const charges = [...this.#unwritten];
    this.#unwritten.clear();
    for (const charge of charges) charge.isWritten = true;
    // A charge that is lost with a server lets the message have one attempt more.
    this.#stream.append({ charges: charges.map(({ life, attempts }) => [life, attempts]) }).catch(() => {});
  }

  /** The attempts that were last charged to this life, undefined when none. Those who ask together share one reading. */
  look(life: string, since: number): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ life, since, resolve, reject });
      if (!this.#scanning) void this.#scan();
    });
  }

  close(): void {
    this.#cancelTimer?.();
  }

  async #scan(): Promise<void> {
    this.#scanning = true;
    while (this.#asked.length > 0) {
      const asked = this.#asked;
      this.#asked = [];
      const found = new Map<string, number>();
      const wanted = new Set(asked.map(({ life }) => life));
      const since = asked.reduce((first, one) => Math.min(first, one.since), this.#clock.now());
      const age = Math.ceil((this.#clock.now() - since) / 1000) + marginSeconds;
      try {
        await this.#stream.read(`${age}s`, (read) => {
          for (const [life, attempts] of record.safeParse(read).data?.charges ?? []) {
            if (wanted.has(life)) found.set(life, attempts);
          }
        });
        for (const { life, resolve } of asked) resolve(found.get(life));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#scanning = false;
  }
}
