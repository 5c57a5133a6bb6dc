import { ZodError } from 'zod';
import type { Delivery } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { messageOf } from '../../engine/ground/errors.ts';
import type { Slots } from '../../engine/turns/slots.ts';
import type { Composer } from '../compose/composer.ts';
import type { Relays } from '../relays/relays.ts';
import type { MailClass, MailSettings } from '../settings/settings.ts';
import { judge, judgeBefore, returned, type Verdict } from './judge.ts';
import { readMailMessage } from './mail-message.ts';
import type { End, Ended, MailSource, MailToSend, Settlement, Taken } from './mail-source.ts';
import type { RowMails } from './row-mails.ts';
import { Transfer } from './transfer.ts';
import type { WholeMails } from './whole-mails.ts';

export interface SenderParts {
  engine: Pick<Engine, 'alerts' | 'broker' | 'clock' | 'log' | 'pipelines' | 'random'>;
  settings: MailSettings;
  composer: Composer;
  relays: Relays;
  rows: RowMails;
  whole: WholeMails;
}

/** A class whose queue is served. */
export interface ServedClass {
  className: string;
  mailClass: MailClass;
  doors: { hands: Slots; flight: Slots };
}

/**
 * The whole way of a mail, from the queue of its class to a result:
 *
 *   a message of the queue  `mail-message.ts`: ids of rows, or whole mails
 *   taken from its source   `mail-source.ts`: `row-mails.ts` or `whole-mails.ts`
 *   checked                 `judgeBefore`: suppressed, cancelled, paused, expired
 *   composed, transferred   `transfer.ts`: the bytes go to a relay, copies (bcc) after it
 *   judged                  `judge`: what the relay's answer means
 *   recorded                by its source, which says how to settle the message
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #transfer: Transfer;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#transfer = new Transfer(parts);
  }

  /** Sends the mails of a message, and settles it. */
  async serve(delivery: Delivery, served: ServedClass): Promise<void> {
    const { rows, whole } = this.#parts;
    const message = readMessage(delivery);
    if (typeof message === 'string') return delivery.deadLetter(message);
    if ('ids' in message) {
      const all = await Promise.all(message.ids.map((id) => this.#serve(rows, [id], delivery, served)));
      return settle(delivery, all.includes('release') ? 'release' : 'ack');
    }
    if (message.mails.length > served.doors.flight.limit) return whole.split(message.mails, delivery);
    return settle(delivery, await this.#serve(whole, message.mails, delivery, served));
  }

  /** Takes, sends and records some mails of a message, when it is their turn. */
  #serve<Named>(
    source: MailSource<Named>,
    named: readonly Named[],
    delivery: Delivery,
    served: ServedClass,
  ): Promise<Settlement> {
    const { hands, flight } = served.doors;
    const send = async (taken: readonly Taken<Named>[]) => {
      const ended = await Promise.all(taken.map((one) => this.#end(source, one, delivery, served)));
      return source.record(ended, delivery);
    };
    if (!source.takesAhead)
      return flight.run(async () => send(await source.take(named, delivery)), named.length);
    return hands.run(async () => {
      if (this.#parts.relays.isClosed) return 'release';
      const taken = await source.take(named, delivery);
      return taken.length === 0 ? 'ack' : flight.run(() => send(taken), taken.length);
    }, named.length);
  }

  async #end<Named>(
    source: MailSource<Named>,
    taken: Taken<Named>,
    delivery: Delivery,
    served: ServedClass,
  ): Promise<Ended<Named>> {
    if ('end' in taken) return taken;
    try {
      return { ...taken, end: await this.#send(source, taken.mail, delivery, served) };
    } catch (error) {
      return { ...taken, end: { error } };
    }
  }

  /** Sends a mail, unless somebody has withdrawn it or its destination is busy, and judges the answer. */
  async #send(
    source: Pick<MailSource<never>, 'keepFields'>,
    mail: MailToSend,
    { lane }: Delivery,
    { className, mailClass }: ServedClass,
  ): Promise<End> {
    const { engine, settings } = this.#parts;
    const before = judgeBefore(mail, engine.clock.now()) ?? this.#postpone(mail, className);
    if (before) return { verdict: before, relay: '' };
    const keepFields = () => source.keepFields(mail);
    const outcome = await this.#transfer.send(mail, { className, mailClass, lane, keepFields });
    if (outcome === 'stopped') return outcome;
    if ('verdict' in outcome) return { ...outcome, relay: '' };
    const rules = { now: engine.clock.now(), random: engine.random, settings, mailClass };
    return { verdict: judge(mail, outcome, rules), relay: outcome.relay };
  }

  /** Back into the queue with a mail whose destination is busy for long: mails to others need its place. */
  #postpone({ destination }: MailToSend, className: string): Verdict | undefined {
    const { engine, relays } = this.#parts;
    const laterMs = relays.postponeMs(className, destination);
    return laterMs === 0 ? undefined : { ...returned, retryAt: engine.clock.now() + laterMs };
  }
}

async function settle(delivery: Delivery, how: Settlement): Promise<void> {
  if (how === 'ack') void delivery.ack();
  else if (how === 'release') await delivery.release();
  else if ('retry' in how) await delivery.retry(how.retry);
  else await delivery.deadLetter(how.deadLetter);
}

function readMessage({ body }: Delivery) {
  try {
    return readMailMessage(body);
  } catch (error) {
    const [issue] = error instanceof ZodError ? error.issues : [];
    return `not a mail: ${issue?.message ?? messageOf(error)}`;
  }
}
