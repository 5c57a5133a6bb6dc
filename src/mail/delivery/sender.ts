import { ZodError } from 'zod';
import type { Delivery } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/engine.ts';
import { hasCode, messageOf } from '../../engine/errors.ts';
import { newId } from '../../engine/identity.ts';
import type { Running } from '../../engine/service/service.ts';
import { Slots } from '../../engine/turns/slots.ts';
import { storePrepared } from '../prepare/store-prepared.ts';
import type { Relays } from '../relays/relays.ts';
import { classesOf, type MailClass, type MailSettings, queueOf } from '../settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { answerText } from './answer-text.ts';
import { type Composer, copyFields, type MailToCompose } from './compose.ts';
import { deleteSentFiles } from './delete-sent-files.ts';
import { judge, judgeBefore, pauseMs, returned, type Verdict } from './judge.ts';
import type { MailLedger } from './mail-ledger.ts';
import { readMailMessage, wholeMailsPerMessage, wholeMessage } from './mail-message.ts';
import { PolicyWatch } from './policy-watch.ts';
import { SendingHours } from './sending-hours.ts';
import { serveInHours } from './serve-in-hours.ts';
import type { TakenMail } from './take-mails.ts';
import { tellResult } from './tell-result.ts';
import type { WholeMails } from './whole-mails.ts';

export interface SenderParts {
  engine: Pick<
    Engine,
    'alerts' | 'broker' | 'clock' | 'database' | 'events' | 'log' | 'pipelines' | 'random'
  >;
  settings: MailSettings;
  composer: Composer;
  relays: Relays;
  ledger: MailLedger;
  whole: WholeMails;
}

/**
 * Mails of a class that a sender has given to relays without having stored their answers: if it is killed, they are sent again.
 * Some are on the wire while others wait for the disk; twice as many are in its hands.
 */
export function mailsInFlight(connections: number): number {
  return Math.max(4 * connections, fewestInFlight);
}

const fewestInFlight = 100;
/** Taken ahead, so that the relays need not wait for the disk. */
const handsPerFlight = 2;

/** Most messages carry several mails. So many messages may be in hand that their whole mails are about twice those in flight. */
function messagesInHand(inFlight: number): { concurrency: number; prefetch: number } {
  const concurrency = Math.max(Math.min(inFlight, 25), Math.ceil(inFlight / 4));
  const prefetch = Math.ceil((handsPerFlight * inFlight) / wholeMailsPerMessage);
  return { concurrency, prefetch: Math.max(concurrency, prefetch) };
}
/** So far the clocks of two machines may differ. */
const clockDifferenceMs = 5000;

type SendOutcome = SmtpOutcome & { relay: string };
type Copied = { className: string; lane: 'high' | 'normal' };
export type MailToSend = MailToCompose & Pick<TakenMail, 'notAfter' | 'owner'>;

/**
 * Sends what lies in the queues of the classes. A message leaves its queue only when every mail it names has been answered
 * by a relay and the answer is stored.
 */
export async function runSenders(parts: SenderParts): Promise<Running> {
  const { engine, settings, relays } = parts;
  const sender = new Sender(parts);
  const consumers: Running[] = [];
  for (const [name, mailClass] of classesOf(settings)) {
    await engine.pipelines.claimOutput(queueOf(name));
    if (!relays.carries(name)) continue;
    // Each class has its own share, so that no class waits for another here.
    const inFlight = mailClass.inFlight || mailsInFlight(relays.connections);
    const doors = { hands: new Slots(handsPerFlight * inFlight), flight: new Slots(inFlight) };
    const hours = new SendingHours(mailClass.hours, settings.timeZone);
    const onError = (error: unknown) =>
      engine.log.error({ err: error, class: name }, 'the sending hours could not be begun or ended yet');
    consumers.push(
      await serveInHours({ clock: engine.clock, hours, onError }, () =>
        engine.broker.consume(queueOf(name), messagesInHand(inFlight), (delivery) =>
          sender.serve(delivery, name, mailClass, doors),
        ),
      ),
    );
  }
  return {
    async close() {
      // Mails that wait for a relay are given back unsent; those a relay has in hand are finished.
      const closing = relays.close();
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await closing;
    },
  };
}

class Sender {
  readonly #parts: SenderParts;
  readonly #policy: PolicyWatch;
  readonly #storePrepared: ReturnType<typeof storePrepared>;
  /** Mails by id. */
  readonly #inHand = new Set<string>();

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#policy = new PolicyWatch(parts.engine);
    this.#storePrepared = storePrepared(parts.engine);
  }

  async serve(
    delivery: Delivery,
    className: string,
    mailClass: MailClass,
    doors: { hands: Slots; flight: Slots },
  ): Promise<void> {
    const message = readMessage(delivery);
    if (typeof message === 'string') return delivery.deadLetter(message);
    if ('mails' in message) {
      const { mails } = message;
      const { whole } = this.#parts;
      if (mails.length > doors.flight.limit) return whole.split(delivery, mails);
      const sending = {
        className,
        mailClass,
        transfer: (row: MailToSend) => this.#transfer(row, className, mailClass),
        postponeMs: (recipient: string) => this.#parts.relays.postponeMs(className, recipient),
      };
      return doors.flight.run(() => whole.serve(delivery, mails, sending), mails.length);
    }
    const ends = await Promise.all(
      message.ids.map((id) =>
        doors.hands.run(() =>
          this.#serveOne(id, className, { ...mailClass, lane: delivery.lane }, doors.flight),
        ),
      ),
    );
    // Stopped before every mail was sent: the message stays for the next sender.
    if (ends.includes('stopped')) await delivery.release();
    else void delivery.ack();
  }

  async #serveOne(
    id: string,
    className: string,
    mailClass: MailClass,
    flight: Slots,
  ): Promise<'ended' | 'stopped'> {
    const { ledger, relays } = this.#parts;
    if (relays.isClosed) return 'stopped';
    // After a crash, two messages may name the same mail. The other one stays in the queue until the mail has its answer.
    if (this.#inHand.has(id)) return 'ended';
    this.#inHand.add(id);
    try {
      const mail = await ledger.take(id);
      return mail ? await flight.run(() => this.#send(mail, className, mailClass)) : 'ended';
    } finally {
      this.#inHand.delete(id);
    }
  }

  async #send(mail: TakenMail, className: string, mailClass: MailClass): Promise<'ended' | 'stopped'> {
    const { engine, settings } = this.#parts;
    let verdict = judgeBefore(mail, engine.clock.now()) ?? this.#postpone(mail, className);
    let relay = '';
    if (!verdict) {
      const outcome = await this.#transfer(mail, className, mailClass);
      if (outcome === 'stopped') {
        await this.#record(mail, mailClass, returned, '');
        return 'stopped';
      }
      if ('verdict' in outcome) verdict = outcome.verdict;
      else {
        relay = outcome.relay;
        const { random } = engine;
        verdict = judge(mail, outcome, { now: engine.clock.now(), random, settings, mailClass });
      }
    }
    await this.#record(mail, mailClass, verdict, relay);
    return 'ended';
  }

  /** Back into the backlog with a mail whose destination is busy for long: mails to others need its place. */
  #postpone({ recipient }: TakenMail, className: string): Verdict | undefined {
    const { engine, relays } = this.#parts;
    const laterMs = relays.postponeMs(className, recipient);
    if (laterMs === 0) return undefined;
    const retryAt = engine.clock.now() + laterMs;
    return { ...returned, retryAt };
  }

  /** Builds and transfers one mail. What is wrong with the mail itself is a verdict; no other mail is touched by it. */
  async #transfer(
    mail: MailToSend,
    className: string,
    mailClass: MailClass,
  ): Promise<SendOutcome | { verdict: Verdict } | 'stopped'> {
    const { composer, relays } = this.#parts;
    let composed: Awaited<ReturnType<Composer['compose']>>;
    try {
      composed = await composer.compose(mail);
    } catch (error) {
      // A database that is away is not the mail's fault.
      if (hasCode(error, 'unavailable')) throw error;
      return { verdict: { state: 'failed', attempts: 0, unknowns: 0, answer: messageOf(error) } };
    }
    if (composed.fields !== undefined) {
      mail.fields = composed.fields;
      // Whole mails have no row yet; theirs gets the fields when it is recorded.
      await this.#storePrepared.ask({ id: mail.id, fields: mail.fields });
    }
    const { message, bcc, copyFrom, lane = mailClass.lane } = composed;
    const isEarly =
      mailClass.holdAtRelay && mail.createdAt > this.#parts.engine.clock.now() + clockDifferenceMs;
    const envelope = { ...composed.envelope, ...(isEarly && { holdUntil: mail.createdAt }) };
    const job = { className, lane, message, notAfter: mail.notAfter };
    const outcome = await relays.send({ ...job, envelope });
    if (outcome.kind === 'unsent' && outcome.relay === '') return 'stopped';
    this.#policy.watch(className, outcome);
    if (outcome.kind !== 'sent') return outcome;
    const refused: string[] = [];
    for (const to of bcc) {
      const copy = await relays.send({ ...job, envelope: { ...envelope, from: copyFrom, to } });
      if (copy.kind === 'sent') continue;
      const isLater =
        copy.kind !== 'failed' && copy.kind !== 'unknown' && (await this.#copyLater(mail, job, to));
      refused.push(`; copy to ${to}${isLater ? ' is put off' : ''}: ${copy.answer}`);
    }
    return { ...outcome, answer: outcome.answer + refused.join('') };
  }

  /** Queues a copy by itself: the mail has left, and must not be sent again because of it. */
  async #copyLater(mail: MailToSend, { className, lane }: Copied, to: string): Promise<boolean> {
    // The file goes with the mail.
    if (mail.fields.includes('"deleteAfterSend":true')) return false;
    const { engine, settings } = this.#parts;
    const { owner, createdAt, notAfter } = mail;
    const id = newId(engine.clock);
    const notBefore = engine.clock.now() + pauseMs(settings.retryMs, 0, engine.random);
    const copy = { id, owner, createdAt, notAfter, notBefore, fields: copyFields(mail, to) };
    try {
      await engine.broker.publish(
        queueOf(className),
        wholeMessage(id, [JSON.stringify(copy)], { owner, lane }),
      );
      return true;
    } catch (error) {
      engine.log.error({ err: error, mail: mail.id }, 'a copy could not be queued');
      return false;
    }
  }

  async #record(mail: TakenMail, mailClass: MailClass, given: Verdict, relay: string): Promise<void> {
    const { engine, ledger } = this.#parts;
    const { id, owner, campaign } = mail;
    const verdict = { ...given, answer: answerText(given.answer) };
    await ledger.record({ id, owner, campaign, class: mail.class, lane: mailClass.lane, relay, ...verdict });
    tellResult(engine, mail, verdict);
    if (verdict.state === 'sent' && mail.fields.includes('"deleteAfterSend":true'))
      await deleteSentFiles(engine, this.#parts.settings, id);
  }
}

function readMessage({ body }: Delivery) {
  try {
    return readMailMessage(body);
  } catch (error) {
    const [issue] = error instanceof ZodError ? error.issues : [];
    return `not a mail: ${issue?.message ?? messageOf(error)}`;
  }
}
