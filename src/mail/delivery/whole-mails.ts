import type { Delivery } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/engine.ts';
import { hasCode, messageOf } from '../../engine/errors.ts';
import { addressKey } from '../model/address.ts';
import { type ErasedAddresses, isErased } from '../retention/erased.ts';
import type { MailClass, MailSettings } from '../settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { answerText } from './answer-text.ts';
import { copyIn, type MailToCompose } from './compose.ts';
import { judge, judgeBefore, type Verdict } from './judge.ts';
import { type WholeMail, wholeMessage } from './mail-message.ts';
import { type Recorded, recordQueue } from './record-whole.ts';
import { ResultBatches } from './result-batches.ts';
import type { MailToSend } from './sender.ts';
import { SendingSnapshot } from './sending-snapshot.ts';
import { tellTrouble } from './tell-result.ts';

/** What the class of a mail and the relays have to do with it. */
interface Sending {
  className: string;
  mailClass: MailClass;
  transfer(mail: MailToSend): Promise<(SmtpOutcome & { relay: string }) | { verdict: Verdict } | 'stopped'>;
  /** 0, or how much later the mail should come back, because its destination is busy. */
  postponeMs(recipient: string): number;
}

/** What must not be sent: addresses with their class, hashes of addresses, ids of mails. */
interface Withdrawn {
  suppressed: ReadonlySet<string>;
  erased: ErasedAddresses;
  cancelled: ReadonlySet<string>;
}

/** How often a mail was tried. */
type Tried = NonNullable<WholeMail['tried']>;

/** What became of a mail of a message. */
type End =
  | { result: Recorded }
  /** Not sent, and why. Without `tried` it counts as if nobody had taken it. */
  | { kind: 'later'; mail: WholeMail; delayMs: number; reason: string; tried?: Tried }
  | { kind: 'stopped'; mail: WholeMail }
  /** Its recipient was erased: nothing of it may stay. */
  | { kind: 'erased'; mail: WholeMail }
  | { kind: 'hopeless'; mail: WholeMail; reason: string };
type Unsent = Exclude<End, { result: Recorded }>;

type Parts = Pick<Engine, 'alerts' | 'broker' | 'clock' | 'database' | 'log' | 'random'>;

/** Why a mail went back into the queue without an attempt. */
const postponed = 'its destination is busy';
const unknownMark = 'unknown: ';
const awayMs = 1000;

/**
 * Mails that travel whole: the database is not asked while they are sent. What became of them goes to a queue of results,
 * from which it is stored in batches, with the data that the online version needs.
 */
export class WholeMails {
  readonly #engine: Parts;
  readonly #settings: MailSettings;
  readonly #known: SendingSnapshot;
  readonly #results: ResultBatches<Recorded>;

  constructor(engine: Parts, settings: MailSettings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#known = new SendingSnapshot(engine);
    this.#results = new ResultBatches(engine.clock, (results) =>
      engine.broker.publish(recordQueue, {
        id: results[0]?.id ?? '',
        body: Buffer.from(JSON.stringify(results)),
      }),
    );
  }

  /**
   * Sends the mails of a message, which leaves its queue when a relay has answered to each and the results are in their queue.
   * A mail that has to wait leaves the message before that, and waits alone.
   */
  async serve(delivery: Delivery, mails: readonly WholeMail[], sending: Sending): Promise<void> {
    const [only] = mails;
    const waitMs = mails.length === 1 && only ? (only.notBefore ?? 0) - this.#engine.clock.now() : 0;
    if (waitMs > 0) return delivery.retry({ delayMs: waitMs, reason: postponed });
    const before = triedBefore(delivery);
    const rules: Withdrawn = {
      suppressed: await this.#known.suppressed(),
      erased: await this.#known.erased(),
      cancelled: await this.#known.cancelled(),
    };
    this.#results.begin(mails.length);
    let results: Recorded[] = [];
    let stored = Promise.resolve();
    let ends: End[];
    try {
      ends = await Promise.all(mails.map((mail) => this.#send(mail, before, rules, sending)));
      results = ends.flatMap((end) => ('result' in end ? [end.result] : []));
    } finally {
      stored = this.#results.end(mails.length, results);
    }
    const unsent = ends.filter((end): end is Unsent => !('result' in end));
    if (only && mails.length === 1 && unsent[0]) return settleAlone(delivery, unsent[0]);
    if (results.length === 0 && unsent.every(({ kind }) => kind === 'stopped')) return delivery.release();
    await Promise.all([stored, ...unsent.map((end) => this.#publishAlone(delivery, end, before))]);
    void delivery.ack();
  }

  /** Each mail of a message gets one of its own: together they are more than may be in flight. */
  async split(delivery: Delivery, mails: readonly WholeMail[]): Promise<void> {
    const before = triedBefore(delivery);
    for (const mail of mails) await this.#publishAlone(delivery, { kind: 'stopped', mail }, before);
    void delivery.ack();
  }

  async #send(
    mail: WholeMail,
    before: Tried,
    { suppressed, erased, cancelled }: Withdrawn,
    { className, mailClass, transfer, postponeMs }: Sending,
  ): Promise<End> {
    const { clock, random } = this.#engine;
    const { id, owner, fields, createdAt, notAfter } = mail;
    // A copy is stored under the recipient of its mail, whose data it has: whoever is erased takes it along.
    const recipient = addressKey(fields.to.address);
    const copy = copyIn(fields);
    const target = copy ? addressKey(copy.to) : recipient;
    for (const person of new Set([recipient, target]))
      if (isErased(erased, { recipient: person, createdAt })) return { kind: 'erased', mail };
    const tried = sum(before, mail.tried);
    let row: Omit<MailToCompose, 'parsed'> & Pick<Recorded, 'owner' | 'recipient' | 'notAfter'>;
    let verdict: Verdict | undefined;
    let relay = '';
    try {
      const { version, language } = await this.#known.type(fields.type);
      row = {
        id,
        owner,
        type: fields.type,
        version,
        class: className,
        recipient,
        createdAt,
        notAfter,
        fields: JSON.stringify(fields),
        language: fields.language ?? language,
      };
      const isSuppressed = suppressed.has(`${target} `) || suppressed.has(`${target} ${className}`);
      const isCancelled = cancelled.has(id);
      verdict = judgeBefore({ isSuppressed, isCancelled, notAfter, campaignState: null }, clock.now());
      if (!verdict) {
        const laterMs = postponeMs(target);
        if (laterMs > 0) return { kind: 'later', mail, delayMs: laterMs, reason: postponed };
        const composing: MailToSend = { ...row, parsed: fields };
        const outcome = await transfer(composing);
        row.fields = composing.fields;
        if (outcome === 'stopped') return { kind: 'stopped', mail };
        if ('verdict' in outcome) verdict = outcome.verdict;
        else {
          relay = outcome.relay;
          const rules = { now: clock.now(), random, settings: this.#settings, mailClass };
          verdict = judge(
            { attempts: tried.attempts, notAfter, recipient: target, createdAt },
            outcome,
            rules,
          );
        }
      }
    } catch (error) {
      if (hasCode(error, 'not-found'))
        return { kind: 'hopeless', mail, reason: answerText(messageOf(error)) };
      // The other mails of the message must not be sent again because of it.
      const later = { kind: 'later', mail, delayMs: awayMs } as const;
      if (hasCode(error, 'unavailable')) return { ...later, reason: postponed };
      this.#engine.log.error({ err: error, mail: id }, 'a mail could not be sent yet');
      return {
        ...later,
        reason: answerText(messageOf(error)),
        tried: { ...tried, attempts: tried.attempts + 1 },
      };
    }
    const now = clock.now();
    const { state, retryAt } = verdict;
    const answer = answerText(`${copy ? `copy to ${copy.to}: ` : ''}${verdict.answer}`);
    const all = {
      attempts: tried.attempts + verdict.attempts,
      unknowns: tried.unknowns + verdict.unknowns,
      // A taking that no relay had to do with is none.
      takes: tried.takes - (1 - verdict.attempts),
    };
    if (retryAt !== undefined) {
      const delayMs = Math.max(0, retryAt - now);
      if (verdict.isReturned) return { kind: 'later', mail, delayMs, reason: postponed };
      const reason = (verdict.unknowns > 0 ? unknownMark : '') + answer;
      return { kind: 'later', mail, delayMs, reason, tried: all };
    }
    tellTrouble(this.#engine.alerts, row, { state, answer });
    const sentAt = state === 'sent' ? now : null;
    const { suppress } = verdict;
    return { result: { ...row, ...all, state, changedAt: now, relay, sentAt, answer, suppress } };
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

function settleAlone(delivery: Delivery, end: Unsent): Promise<void> {
  if (end.kind === 'stopped') return delivery.release();
  if (end.kind === 'erased') return delivery.ack();
  if (end.kind === 'hopeless') return delivery.deadLetter(end.reason);
  return delivery.retry({ delayMs: end.delayMs, reason: end.reason });
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

function sum(one: Tried, other: Tried | undefined): Tried {
  if (!other) return one;
  return {
    attempts: one.attempts + other.attempts,
    unknowns: one.unknowns + other.unknowns,
    takes: one.takes + other.takes,
  };
}
