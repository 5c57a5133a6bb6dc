import { z } from 'zod';
import type { Clock } from '../../time/clock.ts';
import type { RecordStream } from './record-stream.ts';

/** A handler that finishes sooner and publishes nothing costs no record. */
const graceMs = 10;
/** Clocks differ, and the stream is indexed coarsely. */
const marginSeconds = 60;

const record = z.object({ charges: z.array(z.tuple([z.string(), z.number()])) });

/** The attempts charged to an unacked message. */
export interface Charge {
  publishId: string;
  attempts: number;
  isWritten: boolean;
}

/**
 * Attempts of messages that are being processed. The server counts every delivery, even of messages that no handler
 * started, so we record starts in a stream. A process that gets a redelivered message reads them there.
 */
export class Charges {
  readonly #stream: RecordStream;
  readonly #clock: Clock;
  readonly #unwritten = new Set<Charge>();
  #cancelTimer: (() => void) | undefined;
  #asked: {
    publishId: string;
    since: number;
    resolve: (attempts: number | undefined) => void;
    reject: (error: unknown) => void;
  }[] = [];
  #scanning = false;

  constructor(stream: RecordStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
  }

  begin(publishId: string, attempts: number): Charge {
    const charge = { publishId, attempts, isWritten: false };
    this.#unwritten.add(charge);
    this.#cancelTimer ??= this.#clock.after(graceMs, () => this.write());
    return charge;
  }

  /** The message is settled: a charge that is not written yet is dropped. */
  end(charge: Charge): void {
    this.#unwritten.delete(charge);
  }

  /** Takes back the attempt, even if it is already written. */
  async revoke(charge: Charge): Promise<void> {
    this.end(charge);
    if (charge.isWritten) await this.#stream.append({ charges: [[charge.publishId, charge.attempts - 1]] });
  }

  /** Call this before any publish. Both use one channel, so a later confirm implies these charges. */
  write(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#unwritten.size === 0) return;
    const charges = [...this.#unwritten];
    this.#unwritten.clear();
    for (const charge of charges) charge.isWritten = true;
    // If a server loses a charge, the message gets one more attempt.
    this.#stream
      .append({ charges: charges.map(({ publishId, attempts }) => [publishId, attempts]) })
      .catch(() => {});
  }

  /** The attempts last charged to a publish, undefined if none. Concurrent calls share one read of the stream. */
  chargedTo(publishId: string, since: number): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ publishId, since, resolve, reject });
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
      const wanted = new Set(asked.map(({ publishId }) => publishId));
      const since = asked.reduce((first, one) => Math.min(first, one.since), this.#clock.now());
      const age = Math.ceil((this.#clock.now() - since) / 1000) + marginSeconds;
      try {
        await this.#stream.read(`${age}s`, (read) => {
          for (const [publishId, attempts] of record.safeParse(read).data?.charges ?? []) {
            if (wanted.has(publishId)) found.set(publishId, attempts);
          }
        });
        for (const { publishId, resolve } of asked) resolve(found.get(publishId));
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.#scanning = false;
  }
}
