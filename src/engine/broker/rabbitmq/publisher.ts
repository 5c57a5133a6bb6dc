import type { Channel, Envelope } from 'rabbitmq-client';
import { PismakError } from '../../errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import { Confirms } from './confirms.ts';
import { closeChannel, closedError, queueUnknown, type RabbitLink, serverCode, unavailable } from './link.ts';
import { lifeOf } from './message.ts';

/** How long a publish looks for a server that answers. */
const patienceMs = 30_000;
/** How long it retries a refusal: as long as the election of a new leader may take. */
const refusedMs = 10_000;
const checkMs = 1000;
const pauseMs = 100;

/** A channel and its unconfirmed messages. */
interface Outlet {
  channel: Channel;
  confirms: Confirms<Sending>;
  /** Lives of messages that came back as unroutable. The server confirms them too. */
  returned: Set<string>;
}

/** A message being sent. */
interface Sending {
  queue: string;
  life: string;
  envelope: Envelope;
  body: Buffer;
  began: number;
  sentAt: number;
  /** When it was first refused. */
  refusedAt?: number;
  /** It was sent before, with an unknown result. */
  isUncertain?: boolean;
  confirmedBy?: Outlet;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Publishes with confirms, as many at once as callers like. If the connection is lost before the confirm, or the confirm
 * does not come, the message is sent again: it may arrive twice, but is never lost.
 */
export class Publisher {
  readonly #link: RabbitLink;
  readonly #clock: Clock;
  /** The current outlet. */
  #outlet: Outlet | undefined;
  /** The current outlet, and retired ones that still have messages. */
  readonly #outlets = new Set<Outlet>();
  #cancelCheck: (() => void) | undefined;
  #opening: Promise<Outlet> | undefined;
  readonly #confirmed: Sending[] = [];

  constructor(link: RabbitLink, clock: Clock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Resolves when the message is durable. `life` is that of the envelope; errors name `queue`. */
  send(queue: string, life: string, envelope: Envelope, body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const began = this.#clock.now();
      this.#attempt({ queue, life, envelope, body, resolve, reject, began, sentAt: began });
    });
  }

  async close(): Promise<void> {
    this.#cancelCheck?.();
    if (this.#outlet) await closeChannel(this.#outlet.channel, this.#clock);
  }

  /** Not `async`: saves a few promises per message. */
  #attempt(sending: Sending): void {
    if (sending.confirmedBy) return;
    const outlet = this.#outlet;
    if (outlet?.channel.active) {
      this.#sendOver(outlet, sending);
      return;
    }
    this.#open().then(
      (opened) => {
        sending.sentAt = this.#clock.now();
        this.#sendOver(opened, sending);
      },
      (error: unknown) => void this.#tryAgain(sending, error),
    );
  }

  #sendOver(outlet: Outlet, sending: Sending): void {
    outlet.confirms.pending.add(sending);
    this.#watch();
    const { sentAt } = sending;
    outlet.channel.basicPublish(sending.envelope, sending.body).then(
      () => {
        outlet.confirms.confirmed(sentAt);
        this.#leave(outlet, sending);
        // The first confirm counts, even one from a retired channel.
        if (!sending.confirmedBy) this.#confirm(sending, outlet);
      },
      (error: unknown) => {
        // A channel opened while the queue had no leader keeps refusing; a new one does not.
        if (outlet === this.#outlet) this.#outlet = undefined;
        if (!this.#leave(outlet, sending)) return;
        if (!isRefusal(error)) sending.isUncertain = true;
        void this.#tryAgain(sending, error);
      },
    );
  }

  async #tryAgain(sending: Sending, error: unknown): Promise<void> {
    const hopeless = this.#judge(error, sending);
    if (hopeless) {
      sending.reject(hopeless);
      return;
    }
    await sleep(this.#clock, pauseMs);
    sending.sentAt = this.#clock.now();
    this.#attempt(sending);
  }

  /** Returns the error if a retry is useless. */
  #judge(error: unknown, sending: Sending): PismakError | undefined {
    if (this.#link.isClosed) return closedError();
    const now = this.#clock.now();
    if (isRefusal(error)) {
      sending.refusedAt ??= now;
      if (now - sending.refusedAt > refusedMs) {
        const text = `RabbitMQ refuses messages for queue ${sending.queue}. Try again later.`;
        return certain(sending, new PismakError('queue-full', text, { cause: error }));
      }
    }
    if (now - sending.began <= patienceMs) return undefined;
    return error instanceof PismakError ? error : unavailable(error);
  }

  /** False if the message has already moved to another outlet. A retired outlet closes with its last message. */
  #leave(outlet: Outlet, sending: Sending): boolean {
    const { pending } = outlet.confirms;
    if (!pending.delete(sending)) return false;
    if (pending.size === 0 && outlet !== this.#outlet) void outlet.channel.close();
    return true;
  }

  /** While messages are unconfirmed, checks every second whether a confirm is overdue. */
  #watch(): void {
    if (this.#cancelCheck) return;
    const due = this.#clock.now() + checkMs;
    this.#cancelCheck = this.#clock.after(checkMs, () => {
      this.#cancelCheck = undefined;
      const now = this.#clock.now();
      const { freeSince } = this.#link;
      // After a late wake-up, as when the machine was suspended, first read what has come meanwhile.
      const isLate = now - due > checkMs;
      for (const outlet of this.#outlets) {
        if (this.#link.isDiskFull) this.#stopWaiting(outlet, now);
        if (isLate || freeSince === undefined) continue;
        if (outlet.confirms.isOverdue(now, freeSince)) this.#giveUp(outlet);
      }
      for (const { confirms } of this.#outlets) if (confirms.pending.size > 0) this.#watch();
    });
  }

  /** Messages sent before we knew that the server's disk is full: it may take them later, and nobody waits that long. */
  #stopWaiting(outlet: Outlet, now: number): void {
    for (const sending of outlet.confirms.pending) {
      if (now - sending.began <= patienceMs) continue;
      outlet.confirms.pending.delete(sending);
      sending.reject(unavailable(new Error('its disk is full')));
    }
  }

  get isDiskFull(): boolean {
    return this.#link.isDiskFull;
  }

  /** The server may not even confirm the close, so the messages don't wait for it. */
  #giveUp(outlet: Outlet): void {
    if (outlet === this.#outlet) this.#outlet = undefined;
    this.#outlets.delete(outlet);
    const { pending } = outlet.confirms;
    const late = [...pending];
    pending.clear();
    void outlet.channel.close();
    for (const sending of late) {
      sending.isUncertain = true;
      void this.#tryAgain(sending, new Error('a message was not confirmed'));
    }
  }

  #open(): Promise<Outlet> {
    this.#opening ??= this.#prepare().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #prepare(): Promise<Outlet> {
    const channel = await this.#link.channel();
    const outlet: Outlet = { channel, confirms: new Confirms(), returned: new Set() };
    channel.on('basic.return', (message) => {
      const life = lifeOf(message);
      if (life !== undefined) outlet.returned.add(life);
    });
    this.#outlets.add(outlet);
    channel.on('close', () => this.#outlets.delete(outlet));
    await channel.confirmSelect();
    this.#outlet = outlet;
    return outlet;
  }

  /**
   * The client reports a returned message one turn of the event loop after its confirm. All confirms of a turn share one
   * wait, and the return of the last may come only at its end, so wait one turn more.
   */
  #confirm(sending: Sending, outlet: Outlet): void {
    sending.confirmedBy = outlet;
    if (this.#confirmed.push(sending) > 1) return;
    setImmediate(() => {
      const confirmed = this.#confirmed.splice(0);
      setImmediate(() => {
        for (const sending of confirmed) {
          if (sending.confirmedBy?.returned.delete(sending.life))
            sending.reject(certain(sending, queueUnknown(sending.queue)));
          else sending.resolve();
        }
      });
    });
  }
}

function isRefusal(error: unknown): boolean {
  return serverCode(error) === 'NACK';
}

/** Callers rely on a refusal. Report it only if no earlier copy can exist. */
function certain(sending: Sending, refusal: PismakError): PismakError {
  return sending.isUncertain ? unavailable(refusal) : refusal;
}
