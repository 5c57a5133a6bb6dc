import type { Channel, Envelope } from 'rabbitmq-client';
import { type Clock, sleep } from '../../clock.ts';
import { PismakError } from '../../errors.ts';
import { closedError, queueUnknown, type RabbitLink, serverCode, unavailable } from './link.ts';
import { lifeOf } from './message.ts';

/** How long a publish looks for a server that takes it. */
const patienceMs = 30_000;
/** How long for one that does not refuse it: as long as the choice of a new leader may take. */
const refusedMs = 10_000;
const pauseMs = 100;

/** A channel and how many of its messages are not confirmed. */
interface Outlet {
  channel: Channel;
  pending: number;
}

/**
 * Publishes with confirms, as many at once as callers like. When the connection is lost before the confirm, the message
 * is sent again: it may then be there twice, but never not at all.
 */
export class Publisher {
  readonly #link: RabbitLink;
  readonly #clock: Clock;
  #outlet: Outlet | undefined;
  #opening: Promise<Outlet> | undefined;
  /** Lives of messages that no queue took; told apart from the others by the confirm that follows. */
  readonly #returned = new Set<string>();
  #turn: Promise<void> | undefined;

  constructor(link: RabbitLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Resolves when it is durable. `life` is what the envelope says, `queue` what to call the target in errors. */
  async send(queue: string, life: string, envelope: Envelope, body: Buffer): Promise<void> {
    const began = this.#clock.now();
    for (;;) {
      let outlet: Outlet | undefined;
      try {
        outlet = this.#outlet?.channel.active ? this.#outlet : await this.#open();
        outlet.pending++;
        await outlet.channel.basicPublish(envelope, body);
        break;
      } catch (error) {
        this.#judge(error, queue, this.#clock.now() - began);
        // A channel that was opened while the queue had no leader refuses for ever; a new one does not.
        if (outlet === this.#outlet) this.#outlet = undefined;
      } finally {
        this.#leave(outlet);
      }
      await sleep(this.#clock, pauseMs);
    }
    await this.#afterReturns();
    if (this.#returned.delete(life)) throw queueUnknown(queue);
  }

  async close(): Promise<void> {
    const outlet = (await this.#opening?.catch(() => undefined)) ?? this.#outlet;
    await outlet?.channel.close();
  }

  /** Throws when it is no use to try again. */
  #judge(error: unknown, queue: string, waitedMs: number): void {
    if (this.#link.isClosed) throw closedError();
    const isRefused = serverCode(error) === 'NACK';
    if (isRefused && waitedMs > refusedMs) {
      const text = `RabbitMQ refuses messages for queue ${queue}. Try again later.`;
      throw new PismakError('queue-full', text, { cause: error });
    }
    if (waitedMs > patienceMs) throw error instanceof PismakError ? error : unavailable(error);
  }

  /** An outlet that was given up is closed when its last confirm has come. */
  #leave(outlet: Outlet | undefined): void {
    if (!outlet) return;
    outlet.pending--;
    if (outlet.pending === 0 && outlet !== this.#outlet) void outlet.channel.close();
  }

  #open(): Promise<Outlet> {
    this.#opening ??= this.#prepare().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #prepare(): Promise<Outlet> {
    const channel = await this.#link.channel();
    channel.on('basic.return', (message) => {
      const life = lifeOf(message);
      if (life !== undefined) this.#returned.add(life);
    });
    await channel.confirmSelect();
    this.#outlet = { channel, pending: 0 };
    return this.#outlet;
  }

  /** The client tells of a returned message one turn of the event loop after its confirm. All confirms of a turn share it. */
  #afterReturns(): Promise<void> {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined;
        resolve();
      });
    });
    return this.#turn;
  }
}
