import { hasCode, messageOf } from '../../engine/ground/errors.ts';
import { newId } from '../../engine/ground/identity.ts';
import type { ComposedMail } from '../compose/composer.ts';
import { copyFields } from '../compose/copies.ts';
import { deletesFiles } from '../model/mail.ts';
import { type MailClass, queueOf } from '../settings/settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { pauseMs, type Verdict } from './judge.ts';
import { wholeMessage } from './mail-message.ts';
import type { MailToSend } from './mail-source.ts';
import { PolicyWatch } from './policy-watch.ts';
import type { SenderParts } from './sender.ts';

type Queued = { className: string; lane: 'high' | 'normal' };
type Transferring = Queued & {
  mailClass: MailClass;
  /** Stores the mail's fields, if a `prepare` module has completed them. */
  keepFields(): Promise<void>;
};
type Outcome = SmtpOutcome & { relay: string };

/** Tolerated clock skew. */
const clockDifferenceMs = 5000;

/** Composes mails and hands them and their copies to relays. */
export class Transfer {
  readonly #parts: Pick<SenderParts, 'composer' | 'engine' | 'relays' | 'settings'>;
  readonly #policy: PolicyWatch;

  constructor(parts: Pick<SenderParts, 'composer' | 'engine' | 'relays' | 'settings'>) {
    this.#parts = parts;
    this.#policy = new PolicyWatch(parts.engine);
  }

  /** Faults of the mail itself become a verdict, so other mails are not affected. */
  async send(
    mail: MailToSend,
    transferring: Transferring,
  ): Promise<Outcome | { verdict: Verdict } | 'stopped'> {
    const { composer, engine, relays } = this.#parts;
    const { className, mailClass, keepFields } = transferring;
    let composed: ComposedMail;
    try {
      composed = await composer.compose(mail);
    } catch (error) {
      // An unavailable database is not the mail's fault.
      if (hasCode(error, 'unavailable')) throw error;
      return { verdict: { state: 'failed', attempts: 0, unknowns: 0, answer: messageOf(error) } };
    }
    if (composed.prepared) {
      mail.parsed = composed.prepared;
      mail.fields = JSON.stringify(composed.prepared);
      await keepFields();
    }
    const { message, bcc, copyFrom, lane = transferring.lane } = composed;
    const isEarly = mailClass.holdAtRelay && mail.createdAt > engine.clock.now() + clockDifferenceMs;
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

  /** Queues a copy as a mail of its own: the original was sent and must not be sent again. */
  async #copyLater(mail: MailToSend, { className, lane }: Queued, to: string): Promise<boolean> {
    // The file is deleted once the mail is sent.
    if (deletesFiles(mail.parsed)) return false;
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
}
