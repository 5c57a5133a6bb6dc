import { sql } from 'kysely';
import { z } from 'zod';
import type { Broker, Delivery } from '../../engine/broker/broker.ts';
import type { Engine } from '../../engine/engine.ts';
import { hasCode, messageOf } from '../../engine/errors.ts';
import type { Running } from '../../engine/service/service.ts';
import { insertMany } from '../database/many-rows.ts';
import { mailDatabase, mailQueries } from '../database/tables.ts';
import { addressKey } from '../model/address.ts';
import { type MailState, mailStates } from '../model/mail.ts';
import type { MailClass, MailSettings } from '../settings.ts';
import type { SmtpOutcome } from '../smtp/outcome.ts';
import { findType } from '../types/mail-types.ts';
import type { MailToCompose } from './compose.ts';
import { InBatches } from './in-batches.ts';
import { judge, judgeBefore, type Verdict } from './judge.ts';
import type { WholeMail } from './mail-message.ts';

type Transfer = (
  mail: MailToCompose,
) => Promise<(SmtpOutcome & { relay: string }) | { verdict: Verdict } | 'stopped'>;

/** What the class of a mail and the relays have to do with it. */
interface Sending {
  className: string;
  mailClass: MailClass;
  transfer: Transfer;
  /** 0, or how much later the mail should come back, because its destination is busy. */
  postponeMs(recipient: string): number;
}

const recordQueue = 'mail.record';
/** Why a mail went back into the queue without an attempt. */
const postponed = 'its destination is busy';

const recorded = z.array(
  z.strictObject({
    ...{
      id: z.string(),
      owner: z.string(),
      type: z.string(),
      version: z.number(),
      class: z.string(),
      recipient: z.string(),
    },
    ...{
      fields: z.string(),
      language: z.string(),
      state: z.enum(mailStates),
      attempts: z.number(),
      takes: z.number(),
    },
    ...{
      unknowns: z.number(),
      createdAt: z.number(),
      notAfter: z.number(),
      changedAt: z.number(),
      sentAt: z.number().nullable(),
    },
    ...{ relay: z.string(), answer: z.string() },
  }),
);
type Recorded = z.output<typeof recorded>[number];

/** Types and suppressions are known to senders, and at most so old. */
const freshMs = 5000;

/**
 * Mails that travel whole: the database is not asked while they are sent. What became of them goes to a queue of results,
 * from which it is stored in batches, with the data that the online version needs.
 */
export class WholeMails {
  readonly #engine: Pick<Engine, 'alerts' | 'broker' | 'clock' | 'database' | 'log' | 'random'>;
  readonly #settings: MailSettings;
  readonly #versions = new Map<
    string,
    { at: number; version: Promise<{ version: number; language: string; ttlMs?: number | undefined }> }
  >();
  readonly #results: InBatches<Recorded, undefined>;
  #suppressed: { at: number; addresses: Promise<Set<string>> } | undefined;

  constructor(engine: WholeMails['_engine'], settings: MailSettings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#results = new InBatches(200, async (results) => {
      await engine.broker.publish(recordQueue, {
        id: results[0]?.id ?? '',
        body: Buffer.from(JSON.stringify(results)),
      });
      return results.map(() => undefined);
    });
  }

  /** Only a type. */
  declare readonly _engine: Pick<Engine, 'alerts' | 'broker' | 'clock' | 'database' | 'log' | 'random'>;

  async serve(
    delivery: Delivery,
    mail: WholeMail,
    { className, mailClass, transfer, postponeMs }: Sending,
  ): Promise<void> {
    const { clock, random } = this.#engine;
    const recipient = addressKey(mail.fields.to.address);
    const attempts = delivery.history.filter(({ reason }) => reason !== postponed).length;
    const postponements = delivery.history.length - attempts;
    let type: { version: number; language: string };
    try {
      type = await this.#version(mail.fields.type);
    } catch (error) {
      if (hasCode(error, 'not-found')) return delivery.deadLetter(messageOf(error));
      throw error;
    }
    const row = {
      ...{
        id: mail.id,
        owner: mail.owner,
        type: mail.fields.type,
        version: type.version,
        class: className,
        recipient,
      },
      ...{ fields: JSON.stringify(mail.fields), language: mail.fields.language ?? type.language },
      ...{ createdAt: mail.createdAt, notAfter: mail.notAfter },
    };
    const isSuppressed =
      (await this.#suppressions()).has(`${recipient} `) ||
      (await this.#suppressions()).has(`${recipient} ${className}`);
    let verdict = judgeBefore({ isSuppressed, notAfter: mail.notAfter, campaignState: null }, clock.now());
    let relay = '';
    if (!verdict) {
      const laterMs = postponeMs(recipient);
      if (laterMs > 0) return delivery.retry({ delayMs: laterMs, reason: postponed });
      const outcome = await transfer(row);
      if (outcome === 'stopped') return delivery.release();
      if ('verdict' in outcome) verdict = outcome.verdict;
      else {
        relay = outcome.relay;
        verdict = judge(
          { attempts, notAfter: mail.notAfter, recipient, createdAt: mail.createdAt },
          outcome,
          {
            ...{ now: clock.now(), random, settings: this.#settings, mailClass },
          },
        );
      }
    }
    if (verdict.retryAt !== undefined) {
      const unknown = verdict.unknowns > 0 ? 'unknown: ' : '';
      return delivery.retry({
        delayMs: Math.max(0, verdict.retryAt - clock.now()),
        reason: unknown + verdict.answer,
      });
    }
    const now = clock.now();
    const state: MailState = verdict.state;
    const unknowns =
      verdict.unknowns + delivery.history.filter(({ reason }) => reason.startsWith('unknown: ')).length;
    await this.#results.ask({
      ...{
        ...row,
        state,
        attempts: attempts + verdict.attempts,
        takes: delivery.attempt - postponements + Number(delivery.mayHaveBegun),
        unknowns,
        changedAt: now,
        relay,
      },
      ...{ sentAt: state === 'sent' ? now : null, answer: verdict.answer.slice(0, 500) },
    });
    if (state === 'failed' || state === 'unknown' || state === 'expired')
      void this.#engine.alerts.raise(
        `mail.${state}`,
        mail.id,
        `mail ${mail.id} (${row.type}) to ${recipient}: ${verdict.answer}`,
        { owner: mail.owner },
      );
    void delivery.ack();
  }

  #version(code: string) {
    const at = this.#engine.clock.now();
    const known = this.#versions.get(code);
    if (known && at - known.at < freshMs && at >= known.at) return known.version;
    const version = findType(this.#engine, code);
    // While the database is away, what was known goes on.
    const kept = known
      ? version.catch((error) => (hasCode(error, 'not-found') ? Promise.reject(error) : known.version))
      : version;
    this.#versions.set(code, { at, version: kept });
    kept.catch(() => this.#versions.delete(code));
    return kept;
  }

  #suppressions(): Promise<Set<string>> {
    const at = this.#engine.clock.now();
    const known = this.#suppressed;
    if (known && at - known.at < freshMs && at >= known.at) return known.addresses;
    const reading = mailQueries(this.#engine)
      .selectFrom('mail_suppressed')
      .select(['address', 'class'])
      .execute()
      .then((rows) => new Set(rows.map((row) => `${row.address} ${row.class}`)));
    const addresses = known ? reading.catch(() => known.addresses) : reading;
    this.#suppressed = { at, addresses };
    addresses.catch(() => {
      this.#suppressed = undefined;
    });
    return addresses;
  }
}

const columns = [
  ...(['id', 'owner', 'type', 'version', 'class', 'recipient', 'fields', 'language', 'state'] as const),
  ...([
    'attempts',
    'takes',
    'unknowns',
    'createdAt',
    'notAfter',
    'changedAt',
    'sentAt',
    'relay',
    'answer',
  ] as const),
];

/**
 * Stores the results of whole mails: idempotent, so messages may come twice. A mail that a killed sender had sent is sent and
 * recorded again: its row shows how often it was taken.
 */
export async function runRecorder(
  engine: Pick<Engine, 'database' | 'log' | 'pipelines'> & { broker: Broker },
): Promise<Running> {
  await engine.pipelines.claimOutput(recordQueue);
  const { dialect, query } = mailDatabase(engine);
  return engine.broker.consume(recordQueue, { concurrency: 2 }, async (delivery) => {
    const all = recorded.parse(JSON.parse(Buffer.from(delivery.body).toString()));
    // A statement can't change a row twice.
    const rows = [...new Map(all.map((row) => [row.id, row])).values()];
    await sql`
      ${insertMany(dialect, columns, rows)} ON CONFLICT ("id") DO UPDATE SET "takes" =
        CASE WHEN "excluded"."takes" > "mail_mail"."takes" THEN "excluded"."takes" ELSE "mail_mail"."takes" END
    `.execute(query);
    await delivery.ack();
  });
}
