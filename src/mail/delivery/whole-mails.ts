import type { Delivery } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/composition/engine.ts';
import { hasCode, messageOf } from '../../engine/ground/errors.ts';
import { copyIn } from '../compose/copies.ts';
import { isErased } from '../database/erased-addresses.ts';
import { addressKey } from '../model/address.ts';
import { classOfQueue } from '../settings/settings.ts';
import { answerText } from './answer-text.ts';
import { returned, type Verdict } from './judge.ts';
import { type WholeMail, wholeMessage } from './mail-message.ts';
import type { Ended, MailSource, MailToSend, Settlement, Taken } from './mail-source.ts';
import { type Recorded, recordQueue } from './record-whole.ts';
import { ResultBatches } from './result-batches.ts';
import { SendingSnapshot, type Withdrawn } from './sending-snapshot.ts';
import { tellTrouble } from './tell-result.ts';

/** How often a mail was tried. */
type Tried = NonNullable<WholeMail['tried']>;

/** A mail that was not sent, and why. */
type Unsent =
  | { kind: 'stopped' | 'erased'; mail: WholeMail }
  /** Without `tried` it counts as if no sender had taken it. */
  | { kind: 'later'; mail: WholeMail; delayMs: number; reason: string; tried?: Tried }
  | { kind: 'hopeless'; mail: WholeMail; reason: string };

type WholeMailsEngine = Pick<Engine, 'alerts' | 'broker' | 'clock' | 'database' | 'log'>;

/** Why a mail went back into the queue without an attempt. */
const postponed = 'its destination is busy';
const unknownMark = 'unknown: ';
const awayMs = 1000;

/**
 * Mails that are in the message itself: the database is not asked while they are sent. Results go to a queue, from which they
 * are stored in batches, with the data that the online version needs.
 *
 * A message leaves its queue when each of its mails has been answered by a relay and the results are in their queue. A mail
 * that has to wait leaves before that: it gets a message of its own, or is retried if it has one already.
 */
export class WholeMails implements MailSource<WholeMail> {
  readonly takesAhead = false;
  readonly #engine: WholeMailsEngine;
  readonly #known: SendingSnapshot;
  readonly #results: ResultBatches<Recorded>;

  constructor(engine: WholeMailsEngine) {
    this.#engine = engine;
    this.#known = new SendingSnapshot(engine);
    this.#results = new ResultBatches(engine.clock, (results) =>
      engine.broker.publish(recordQueue, {
        id: results[0]?.id ?? '',
        body: Buffer.from(JSON.stringify(results)),
      }),
    );
  }

  async take(mails: readonly WholeMail[], delivery: Delivery): Promise<Taken<WholeMail>[]> {
    const before = triedBefore(delivery);
    const withdrawn = await this.#known.withdrawn();
    const className = classOfQueue(delivery.queue);
    const taken = await Promise.all(
      mails.map((mail) => this.#takeOne(mail, className, sum(before, mail.tried), withdrawn)),
    );
    this.#results.begin(mails.length);
    return taken;
  }

  async #takeOne(
    mail: WholeMail,
    className: string,
    tried: Tried,
    { suppressed, erased, cancelled }: Withdrawn,
  ): Promise<Taken<WholeMail>> {
    const { id, owner, fields, createdAt, notAfter, notBefore = 0 } = mail;
    if (notBefore > this.#engine.clock.now())
      return { named: mail, end: { verdict: { ...returned, retryAt: notBefore }, relay: '' } };
    // A copy is stored under the recipient of its mail, whose data it has: erasing the recipient erases the copy.
    const recipient = addressKey(fields.to.address);
    const copy = copyIn(fields);
    const destination = copy ? addressKey(copy.to) : recipient;
    for (const person of new Set([recipient, destination]))
      if (isErased(erased, { recipient: person, createdAt })) return { named: mail, end: 'erased' };
    try {
      const { version, language } = await this.#known.type(fields.type);
      return {
        named: mail,
        mail: {
          id,
          owner,
          type: fields.type,
          version,
          class: className,
          recipient,
          fields: JSON.stringify(fields),
          parsed: fields,
          language: fields.language ?? language,
          ...tried,
          campaign: '',
          campaignState: null,
          createdAt,
          notAfter,
          destination,
          isSuppressed: suppressed.has(`${destination} `) || suppressed.has(`${destination} ${className}`),
          isCancelled: cancelled.has(id),
        },
      };
    } catch (error) {
      return { named: mail, end: { error } };
    }
  }

  /** The result has the fields. */
  async keepFields(): Promise<void> {}

  async record(ended: readonly Ended<WholeMail>[], delivery: Delivery): Promise<Settlement> {
    const before = triedBefore(delivery);
    const ends = ended.map((one) => this.#endOf(one, before));
    const results = ends.flatMap((end) => ('result' in end ? [end.result] : []));
    const stored = this.#results.end(ended.length, results);
    const unsent = ends.filter((end): end is Unsent => !('result' in end));
    const [only] = unsent;
    if (ended.length === 1 && only) return settlementOf(only);
    if (results.length === 0 && unsent.every(({ kind }) => kind === 'stopped')) return 'release';
    await Promise.all([stored, ...unsent.map((end) => this.#publishAlone(delivery, end, before))]);
    return 'ack';
  }

  /** Gives each mail of a message one of its own: together they are more than may be in flight. */
  async split(mails: readonly WholeMail[], delivery: Delivery): Promise<void> {
    const before = triedBefore(delivery);
    for (const mail of mails) await this.#publishAlone(delivery, { kind: 'stopped', mail }, before);
    void delivery.ack();
  }

  #endOf({ named, mail, end }: Ended<WholeMail>, before: Tried): { result: Recorded } | Unsent {
    if (end === 'stopped' || end === 'erased') return { kind: end, mail: named };
    const tried = sum(before, named.tried);
    if ('error' in end) return this.#endOfError(named, end.error, tried);
    const { verdict, relay } = end;
    const copy = copyIn(named.fields);
    const answer = answerText(`${copy ? `copy to ${copy.to}: ` : ''}${verdict.answer}`);
    const all = triedAfter(tried, verdict);
    if (!mail || verdict.retryAt !== undefined) {
      const delayMs = Math.max(0, (verdict.retryAt ?? 0) - this.#engine.clock.now());
      if (verdict.isReturned) return { kind: 'later', mail: named, delayMs, reason: postponed };
      const reason = (verdict.unknowns > 0 ? unknownMark : '') + answer;
      return { kind: 'later', mail: named, delayMs, reason, tried: all };
    }
    return { result: this.#resultOf(mail, { ...verdict, answer }, relay, all) };
  }

  #resultOf(mail: MailToSend, { state, answer, suppress }: Verdict, relay: string, tried: Tried): Recorded {
    tellTrouble(this.#engine.alerts, mail, { state, answer });
    const now = this.#engine.clock.now();
    const { id, owner, type, version, class: className, recipient, fields, language } = mail;
    const { createdAt, notAfter } = mail;
    const sentAt = state === 'sent' ? now : null;
    return {
      id,
      owner,
      type,
      version,
      class: className,
      recipient,
      fields,
      language,
      state,
      ...tried,
      createdAt,
      notAfter,
      changedAt: now,
      sentAt,
      relay,
      answer,
      suppress,
    };
  }

  /** The other mails of the message must not be sent again because of it. */
  #endOfError(mail: WholeMail, error: unknown, tried: Tried): Unsent {
    const reason = answerText(messageOf(error));
    if (hasCode(error, 'not-found')) return { kind: 'hopeless', mail, reason };
    const later = { kind: 'later', mail, delayMs: awayMs } as const;
    if (hasCode(error, 'unavailable')) return { ...later, reason: postponed };
    this.#engine.log.error({ err: error, mail: mail.id }, 'a mail could not be sent yet');
    return { ...later, reason, tried: { ...tried, attempts: tried.attempts + 1 } };
  }

  async #publishAlone({ queue, lane }: Delivery, end: Unsent, before: Tried): Promise<void> {
    const { mail } = end;
    if (end.kind === 'erased') return;
    const untouched = sum({ ...before, takes: Math.max(0, before.takes - 1) }, mail.tried);
    const tried = (end.kind === 'later' && end.tried) || untouched;
    const notBefore = end.kind === 'later' ? this.#engine.clock.now() + end.delayMs : undefined;
    const text = JSON.stringify({ ...mail, tried, notBefore });
    await this.#engine.broker.publish(queue, wholeMessage(mail.id, [text], { owner: mail.owner, lane }));
  }
}

/** For a message with one mail. */
function settlementOf(end: Unsent): Settlement {
  if (end.kind === 'later') return { retry: { delayMs: end.delayMs, reason: end.reason } };
  if (end.kind === 'hopeless') return { deadLetter: end.reason };
  return end.kind === 'stopped' ? 'release' : 'ack';
}

/** What the queue knows about a message: its mails share it. */
function triedBefore({ attempt, mayHaveBegun, history }: Delivery): Tried {
  if (history.length === 0) return { attempts: 0, unknowns: 0, takes: attempt + Number(mayHaveBegun) };
  const attempts = history.filter(({ reason }) => reason !== postponed).length;
  const postponements = history.length - attempts;
  return {
    attempts,
    unknowns: history.filter(({ reason }) => reason.startsWith(unknownMark)).length,
    takes: attempt - postponements + Number(mayHaveBegun),
  };
}

function triedAfter(before: Tried, { attempts, unknowns }: Verdict): Tried {
  return {
    attempts: before.attempts + attempts,
    unknowns: before.unknowns + unknowns,
    // A mail that no relay got was not taken.
    takes: before.takes - (1 - attempts),
  };
}

function sum(one: Tried, other: Tried | undefined): Tried {
  if (!other) return one;
  return {
    attempts: one.attempts + other.attempts,
    unknowns: one.unknowns + other.unknowns,
    takes: one.takes + other.takes,
  };
}
