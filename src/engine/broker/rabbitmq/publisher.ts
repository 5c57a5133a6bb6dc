import type { Channel, Envelope } from 'rabbitmq-client';
import { PismakError } from '../../ground/errors.ts';
import { type Clock, sleep } from '../../time/clock.ts';
import { Confirms } from './confirms.ts';
import {
  closeChannel,
  closedError,
  queueUnknown,
  type RabbitConnection,
  serverCode,
  unavailable,
} from './connection.ts';
import { publishIdOf } from './message.ts';

/** How long a publish looks for a server that answers. */
const patienceMs = 30_000;
/** How long it retries a refusal: as long as the election of a new leader may take. */
const refusedMs = 10_000;
const checkMs = 1000;
const pauseMs = 100;

/** A channel in confirm mode, and its unconfirmed messages. */
interface ConfirmChannel {
  channel: Channel;
  confirms: Confirms<Sending>;
  /** Publish ids of messages that the server returned as unroutable. It confirms them too. */
  returned: Set<string>;
}

/** A message being sent. */
interface Sending {
  queue: string;
  publishId: string;
  envelope: Envelope;
  body: Buffer;
  began: number;
  sentAt: number;
  /** When it was first refused. */
  refusedAt?: number;
  /** It was sent before, with an unknown result. */
  isUncertain?: boolean;
  confirmedBy?: ConfirmChannel;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Publishes with confirms, as many at once as callers like. A message is
 *
 * - *unconfirmed* once it is sent on the current channel;
 * - *refused* when the server nacks it: it is sent again for ten seconds, then fails with `queue-full`;
 * - *uncertain* when its channel closes or its confirm is overdue: it is sent again on a new channel, so it may arrive twice,
 *   but is never lost;
 * - *confirmed*, by the first confirm that comes, even on a retired channel; it fails with `queue-unknown` if the server
 *   returned it as unroutable.
 */
export class Publisher {
  readonly #connection: RabbitConnection;
  readonly #clock: Clock;
  /** The channel that new messages use. */
  #current: ConfirmChannel | undefined;
  /** That channel, and retired ones that still have unconfirmed messages. */
  readonly #channels = new Set<ConfirmChannel>();
  #cancelCheck: (() => void) | undefined;
  #opening: Promise<ConfirmChannel> | undefined;
  readonly #confirmed: Sending[] = [];

  constructor(connection: RabbitConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Resolves when the message is durable. `publishId` is the one in the envelope; errors name `queue`. */
  send(queue: string, publishId: string, envelope: Envelope, body: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const began = this.#clock.now();
      this.#attempt({ queue, publishId, envelope, body, resolve, reject, began, sentAt: began });
    });
  }

  async close(): Promise<void> {
    this.#cancelCheck?.();
    if (this.#current) await closeChannel(this.#current.channel, this.#clock);
  }

  /** Not `async`: saves a few promises per message. */
  #attempt(sending: Sending): void {
    if (sending.confirmedBy) return;
    const confirming = this.#current;
    if (confirming?.channel.active) {
      this.#sendOver(confirming, sending);
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

  #sendOver(confirming: ConfirmChannel, sending: Sending): void {
    confirming.confirms.pending.add(sending);
    this.#watch();
    const { sentAt } = sending;
    confirming.channel.basicPublish(sending.envelope, sending.body).then(
      () => {
        confirming.confirms.confirmed(sentAt);
        this.#leave(confirming, sending);
        // The first confirm counts, even one from a retired channel.
        if (!sending.confirmedBy) this.#confirm(sending, confirming);
      },
      (error: unknown) => {
        // A channel opened while the queue had no leader keeps refusing; a new one does not.
        if (confirming === this.#current) this.#current = undefined;
        if (!this.#leave(confirming, sending)) return;
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
    if (this.#connection.isClosed) return closedError();
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

  /** False if the message has already moved to another channel. A retired channel closes with its last message. */
  #leave(confirming: ConfirmChannel, sending: Sending): boolean {
    const { pending } = confirming.confirms;
    if (!pending.delete(sending)) return false;
    if (pending.size === 0 && confirming !== this.#current) void confirming.channel.close();
    return true;
  }

  /** While messages are unconfirmed, checks every second whether a confirm is overdue. */
  #watch(): void {
    if (this.#cancelCheck) return;
    const due = this.#clock.now() + checkMs;
    this.#cancelCheck = this.#clock.after(checkMs, () => {
      this.#cancelCheck = undefined;
      const now = this.#clock.now();
      const { freeSince } = this.#connection;
      // After a late wake-up, as when the machine was suspended, first read what has come meanwhile.
      const isLate = now - due > checkMs;
      for (const confirming of this.#channels) {
        if (this.#connection.isDiskFull) this.#stopWaiting(confirming, now);
        if (isLate || freeSince === undefined) continue;
        if (confirming.confirms.isOverdue(now, freeSince)) this.#giveUp(confirming);
      }
      for (const { confirms } of this.#channels) if (confirms.pending.size > 0) this.#watch();
    });
  }

  /** Messages sent before we knew that the server's disk is full: it may take them later, but callers don't wait that long. */
  #stopWaiting(confirming: ConfirmChannel, now: number): void {
    for (const sending of confirming.confirms.pending) {
      if (now - sending.began <= patienceMs) continue;
      confirming.confirms.pending.delete(sending);
      sending.reject(unavailable(new Error('its disk is full')));
    }
  }

  get isDiskFull(): boolean {
    return this.#connection.isDiskFull;
  }

  /** The server may not even confirm the close, so the messages don't wait for it. */
  #giveUp(confirming: ConfirmChannel): void {
    if (confirming === this.#current) this.#current = undefined;
    this.#channels.delete(confirming);
    const { pending } = confirming.confirms;
    const late = [...pending];
    pending.clear();
    void confirming.channel.close();
    for (const sending of late) {
      sending.isUncertain = true;
      void this.#tryAgain(sending, new Error('a message was not confirmed'));
    }
  }

  #open(): Promise<ConfirmChannel> {
    this.#opening ??= this.#prepare().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #prepare(): Promise<ConfirmChannel> {
    const channel = await this.#connection.channel();
    const confirming: ConfirmChannel = { channel, confirms: new Confirms(), returned: new Set() };
    channel.on('basic.return', (message) => {
      const publishId = publishIdOf(message);
      if (publishId !== undefined) confirming.returned.add(publishId);
    });
    this.#channels.add(confirming);
    channel.on('close', () => this.#channels.delete(confirming));
    await channel.confirmSelect();
    this.#current = confirming;
    return confirming;
  }

  /**
   * The client reports a returned message one turn of the event loop after its confirm. All confirms of a turn share one
   * wait, and the return of the last may come only at its end, so wait one turn more.
   */
  #confirm(sending: Sending, confirming: ConfirmChannel): void {
    sending.confirmedBy = confirming;
    if (this.#confirmed.push(sending) > 1) return;
    setImmediate(() => {
      const confirmed = this.#confirmed.splice(0);
      setImmediate(() => {
        for (const sending of confirmed) {
          if (sending.confirmedBy?.returned.delete(sending.publishId))
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
